"""`squall world-from-openapi FILE`: drafts a world from an OpenAPI document."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from squall.cli.drafting import Files
from squall.drafts import from_openapi, load_openapi


def world_from_openapi(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="OpenAPI 3.0 or 3.1, or Swagger 2.0 (YAML or JSON).")],
    *,
    output: Annotated[Path | None, typer.Option(help="The world file to write; shown if left out.")] = None,
    handlers: Annotated[Path | None, typer.Option(help="A Python file to write stubs of handlers to.")] = None,
    name: Annotated[
        str | None, typer.Option(help="What the world is called; the document's title if left out.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
) -> None:
    """Draft a world from an OpenAPI document.

    It is made of the document's schemas and CRUD paths, and for you to complete. Schemas become records, and paths such
    as /orders and /orders/{id} their operations. Other paths stand in comments, each with a signature for its handler.
    The draft loads as it is.
    """
    files = Files(output, handlers, force=force)
    files.put(from_openapi(load_openapi(file), name=name))
