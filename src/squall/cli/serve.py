"""`squall serve WORLD`: a world as an MCP server for agents in other processes."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from squall.errors import Problem, UsageError
from squall.runs.serving import Served
from squall.runs.serving import serve as serve_run

HOST, PORT = "127.0.0.1", 8000
BARE = "--faults"
WITH_VALUE = ("--host", "--port", "--seed", "--run-index", "--record", "--state")


def serve(
    world: Annotated[Path, typer.Argument(metavar="WORLD", help="The world's file.")],
    *,
    http: Annotated[bool, typer.Option("--http", help="Serve streamable HTTP instead of stdio.")] = False,
    host: Annotated[
        str | None, typer.Option(help=f"The address to listen on, with --http: {HOST} unless given.")
    ] = None,
    port: Annotated[
        int | None,
        typer.Option(min=0, max=65535, help=f"The port to listen on: {PORT} unless given; 0 takes a free one."),
    ] = None,
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Let --host be an address that other machines reach.")
    ] = False,
    faults: Annotated[
        Path | None,
        typer.Option(metavar="[FILE]", help="Inject faults: those of a plan file, or (without FILE) the world's own."),
    ] = None,
    seed: Annotated[int | None, typer.Option(help="The seed; the world's own unless given.")] = None,
    run_index: Annotated[int, typer.Option(min=0, help="Which run of the seed: each has faults of its own.")] = 0,
    record: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the trace here, event by event.")] = None,
    state: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Append every change of the world here (see `squall state`).")
    ] = None,
) -> None:
    """Serve a world over MCP, on stdio or over HTTP.

    It is on standard input and output, or with --http at http://HOST:PORT/mcp. Nobody else can reach it unless
    --allow-remote says so. It runs on wall time, so that faults that wait do wait; a wait that nobody stated in seconds
    is cut (wall_cap, 2 s). SIGTERM and Ctrl-C end it cleanly.
    """
    for option, given in (("--host", host), ("--port", port), ("--allow-remote", allow_remote or None)):
        if given is not None and not http:
            message = f"{option} is for a server over HTTP, and this one is on standard input and output"
            raise UsageError(Problem(message, hint="Add --http."))
    what = Served(
        world=world,
        faults=world if faults == Path(BARE) else faults,
        seed=seed,
        run_index=run_index,
        host=(HOST if host is None else host) if http else None,
        port=PORT if port is None else port,
        allow_remote=allow_remote,
        record=record,
        state=state,
    )
    status = serve_run(what, lambda text: typer.echo(text, err=True))
    if status:
        raise typer.Exit(status)


def with_bare_faults(arguments: list[str]) -> list[str]:
    """The command line with a value for `--faults` where it stands alone: an option has a value always, or never.

    The word after it is its file, unless that is an option or the only word that could be the world.
    """
    if arguments[:1] != ["serve"] or BARE not in arguments:
        return arguments
    place = arguments.index(BARE)
    before, after = arguments[:place], arguments[place + 1 :]
    if after and not after[0].startswith("-") and (_words(before[1:]) or _words(after[1:])):
        return arguments
    return [*before, f"{BARE}={BARE}", *after]


def _words(arguments: list[str]) -> list[str]:
    """What is neither an option nor the value of one."""
    return [
        word
        for before, word in zip(["", *arguments], arguments, strict=False)
        if not word.startswith("-") and before not in WITH_VALUE
    ]
