"""`squall schema world|faults`: the JSON Schema of a file that people write."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import typer

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def schema(kind: Annotated[Literal["world", "faults"], typer.Argument(help="Which kind of file.")]) -> None:
    """Print the JSON Schema of a kind of file, for editors and for checking files elsewhere."""
    typer.echo(json.dumps(schema_of(kind), indent=2))


def schema_of(kind: Literal["world", "faults"]) -> dict[str, Any]:
    """The schema as data."""
    from pydantic import TypeAdapter  # the models take 50 ms to build, and only this command shows them

    if kind == "world":
        from squall.worlds.file.spec import WorldSpec  # as above

        found = TypeAdapter(WorldSpec).json_schema()
    else:
        from squall.faults.file import FaultsBlock, FaultsFile  # as above

        adapter: TypeAdapter[Any] = TypeAdapter(FaultsFile | FaultsBlock)
        found = adapter.json_schema()
    return {"$schema": DRAFT, **found}
