"""`squall world-from-mcp URL` and `squall world-from-mcp -- COMMAND…`: drafts a world from a live server's tools."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from squall.cli.drafting import Files
from squall.documents import duration
from squall.drafts import from_tools
from squall.errors import Problem, UsageError


def world_from_mcp(
    server: Annotated[
        list[str], typer.Argument(metavar="URL | -- COMMAND…", help="The server's URL, or the command that starts it.")
    ],
    *,
    output: Annotated[Path | None, typer.Option(help="The world file to write; shown if left out.")] = None,
    handlers: Annotated[Path | None, typer.Option(help="A Python file to write stubs of handlers to.")] = None,
    name: Annotated[str | None, typer.Option(help="What the world is called; as the server if left out.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Write over files that are there.")] = False,
    wait: Annotated[str, typer.Option(help="How long the server may take to answer.")] = "30s",
) -> None:
    """Draft a world from the tools of an MCP server.

    It is made of the tools that the server lists, and for you to complete. Tools such as get_order and list_orders
    become operations on a record; the others stand in comments, each with a signature for its handler. No tool is
    called. The draft loads as it is.
    """
    files = Files(output, handlers, force=force)
    try:
        seconds = duration(wait)
    except ValueError as error:
        raise UsageError(Problem(f"--wait: {error}")) from None
    from squall.wire.mcp.listing import list_tools  # the SDK takes 0.8 s, and no other command needs it

    is_url = len(server) == 1 and server[0].startswith(("http://", "https://"))
    listing = list_tools(server[0] if is_url else server, wait=seconds)
    called = listing.name or "server"
    source = f"the tools of the MCP server {called}" if listing.name else "the tools of an MCP server"
    files.put(from_tools(listing.tools, name=name or called, source=source))
