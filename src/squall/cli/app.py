"""Puts the subcommands together, and turns what goes wrong into one clear message and an exit status.

0: all well; 1: what was checked does not hold; 2: wrong input. A traceback is shown with `--debug` alone.
"""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from squall.cli.schema import schema
from squall.cli.validate import validate
from squall.cli.verify import verify
from squall.errors import SquallError, UsageError
from squall.version import __version__

WRONG_INPUT = 2
PIPE_CLOSED = 141  # as a shell reports a command that SIGPIPE ended

app = typer.Typer(
    name="squall",
    help="Reliability testing for tool-using AI agents: bad weather on both sides, the same in every run.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
for command in (validate, verify, schema):
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
    debug = "--debug" in sys.argv
    if debug:
        sys.argv.remove("--debug")  # it may stand anywhere, also after the subcommand
    try:
        app()
    except UsageError as error:
        if debug:
            raise
        for problem in error.problems:
            typer.echo(f"error: {problem}", err=True)
        raise SystemExit(WRONG_INPUT) from None
    except SquallError as error:
        if debug:
            raise
        typer.echo(f"error: {error}", err=True)
        raise SystemExit(1) from None
    except BrokenPipeError:
        sys.stderr.close()  # whoever read us has gone; saying more would only raise again
        raise SystemExit(PIPE_CLOSED) from None
