"""`squall schema world|faults|scenario|script|scenarios|policy`: the JSON Schema of a file that people write."""

from __future__ import annotations

import json
from typing import Annotated, Any, Literal

import typer

DRAFT = "https://json-schema.org/draft/2020-12/schema"


Kind = Literal["world", "faults", "scenario", "script", "scenarios", "policy"]
"""A `scenario` is one of the lab, `scenarios` are those of the models of `squall model`."""


def schema(kind: Annotated[Kind, typer.Argument(help="Which kind of file.")]) -> None:
    """Print the JSON Schema of a kind of file.

    It is for editors, and for checking files elsewhere.
    """
    typer.echo(json.dumps(schema_of(kind), indent=2))


def schema_of(kind: Kind) -> dict[str, Any]:
    """The schema as data."""
    from pydantic import TypeAdapter  # the models take 50 ms to build, and only this command shows them

    adapter: TypeAdapter[Any] = TypeAdapter(_shape(kind))
    return {"$schema": DRAFT, **adapter.json_schema()}


def _shape(kind: Kind) -> Any:
    if kind == "world":
        from squall.worlds.file.spec import WorldSpec  # as above

        return WorldSpec
    if kind == "scenario":
        from squall.runs.scenario.spec import ScenarioSpec  # as above

        return ScenarioSpec
    if kind == "script":
        from squall.models.script_spec import ScriptSpec  # as above

        return ScriptSpec
    if kind == "scenarios":
        from squall.models.scenarios_spec import ScenariosSpec  # as above

        return ScenariosSpec
    if kind == "policy":
        from squall.checks.policy.spec import PolicySpec  # as above

        return PolicySpec
    from squall.faults.file import FaultsBlock, FaultsFile  # as above

    return FaultsFile | FaultsBlock
