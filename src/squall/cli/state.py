"""`squall state FILE`: the rows that a state journal comes to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from squall.store import fold


def state(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="A journal that `squall serve --state` wrote.")],
) -> None:
    """Print the end state of a served world as JSON.

    It has every row, by table and id. What was left out (a last line that a killed process had not finished, earlier
    runs) is said on stderr.
    """
    found = fold(file)
    for note in found.notes:
        typer.echo(note, err=True)
    if found.ended is None:
        typer.echo(f"{file}: this run has not ended: it goes on, or it was killed", err=True)
    typer.echo(json.dumps(found.snapshot, indent=2, ensure_ascii=False))
