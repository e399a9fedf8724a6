"""`squall verify FILE…`: does the chain of a trace hold?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from squall.errors import Problem, UsageError
from squall.trace import BrokenChain
from squall.trace import verify as verify_file


def verify(files: Annotated[list[Path], typer.Argument(metavar="FILE…", help="Traces (JSON Lines).")]) -> None:
    """Check the hash chain of traces. Exit status 1 names the first line that is bad, and why."""
    broken = False
    unread: list[Problem] = []
    for file in files:
        try:
            found = verify_file(file)
        except BrokenChain as error:
            broken = True
            typer.echo(f"{error}", err=True)
        except OSError as error:
            unread.append(Problem(f"cannot read {str(file)!r}: {error.strerror or error}", hint="Name a trace file."))
        else:
            what = f"{found.events} events of {found.run}, {found.status}"
            typer.echo(f"{file}: the chain holds: {what}, head {found.head}")
    if unread:
        raise UsageError(unread)
    if broken:
        raise typer.Exit(1)
