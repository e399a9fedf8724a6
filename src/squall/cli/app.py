"""Puts the subcommands together, and turns what goes wrong into one clear message and an exit status.

0: all well; 1: what was checked does not hold; 2: wrong input. A traceback is shown with `--debug` alone.
"""

from __future__ import annotations

import sys
import traceback
from io import TextIOWrapper
from typing import Annotated

import typer

from squall.cli.compare import compare
from squall.cli.explore import explore
from squall.cli.judge import judge
from squall.cli.model import model
from squall.cli.replay import replay
from squall.cli.run import run
from squall.cli.sample_size import sample_size
from squall.cli.schema import schema
from squall.cli.serve import serve, with_bare_faults
from squall.cli.state import state
from squall.cli.suite import suite
from squall.cli.validate import validate
from squall.cli.verify import verify
from squall.cli.world_from_mcp import world_from_mcp
from squall.cli.world_from_openapi import world_from_openapi
from squall.errors import SquallError, UsageError
from squall.version import __version__

WRONG_INPUT = 2

app = typer.Typer(
    name="squall",
    help="Reliability testing for tool-using AI agents: bad weather that is the same in every run.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (
    run,
    suite,
    compare,
    explore,
    replay,
    validate,
    serve,
    model,
    state,
    verify,
    judge,
    schema,
    sample_size,
    world_from_openapi,
    world_from_mcp,
):
    app.command()(command)


def _show_version(wanted: bool) -> None:  # noqa: FBT001 - typer calls it with the option's value
    if wanted:
        typer.echo(f"squall {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show tracebacks.")] = False,
) -> None:
    """Take the options that come before a subcommand."""
    del version, debug  # the first is acted on by its callback, the second by main()


def main() -> None:
    """Run the command line, and exit."""
    own = sys.argv[: sys.argv.index("--")] if "--" in sys.argv else sys.argv  # the rest is another program's
    debug = "--debug" in own
    if debug:
        sys.argv.remove("--debug")  # it may stand anywhere, also after the subcommand
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # what it cannot encode is no reason to say nothing
            stream.reconfigure(errors="backslashreplace")
    try:
        app(with_bare_faults(sys.argv[1:]), prog_name="squall")
    except UsageError as error:
        _say(error, [f"error: {problem}" for problem in error.problems], debug=debug)
        raise SystemExit(WRONG_INPUT) from None
    except (SquallError, OSError) as error:
        _say(error, [f"error: {error}"], debug=debug)
        raise SystemExit(1) from None


def _say(error: Exception, messages: list[str], *, debug: bool) -> None:
    """What is wrong, with its traceback where that was asked for."""
    if debug:
        traceback.print_exception(error)
        return
    for message in messages:
        typer.echo(message, err=True)
