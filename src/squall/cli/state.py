"""`squall state FILE`: the rows that a state journal comes to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from squall.store import fold


def state(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A journal that `squall serve --state` wrote.")],
    *,
    run: Annotated[
        int | None, typer.Option("--run", min=1, metavar="N", help="Which of its runs, from 1; the last unless given.")
    ] = None,
) -> None:
    """Print the end state of a served world as JSON.

    It has every row, by table and id. A server that is started again with the same file begins a new run there, with a
    fresh world: this is the state of the last run, or of run N. What was left out is said on stderr: a last line that a
    killed process had not finished, and other runs.
    """
    found = fold(file, run=run)
    for note in found.notes:
        typer.echo(note, err=True)
    if found.ended is None:
        why = "it goes on, or it was killed" if found.run == found.runs else "it was killed"
        typer.echo(f"{file}: this run has not ended: {why}", err=True)
    typer.echo(json.dumps(found.snapshot, indent=2, ensure_ascii=False))
