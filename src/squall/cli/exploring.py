"""How an exploration is told on a terminal: a live line while it goes on, and then what it came to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

import typer

from squall.clock import real
from squall.explore import Line, Observed, Search, Trial
from squall.runs.exploring.search import Explored, Found

OFTEN = 0.1  # seconds between two looks
INDENT = "    "


class Live:
    """Runs so far, how fast, what was found, what is left of this generation. On a terminal alone."""

    def __init__(self, to: TextIO) -> None:
        self._to, self._shows = to, to.isatty()
        self._runs = 0
        self._began = self._shown = real.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._shows:
            self._to.write("\r\x1b[2K")
            self._to.flush()

    def __call__(self, search: Search, trial: Trial, observed: Observed) -> None:
        """One more run."""
        del observed
        self._runs += 1
        now = real.monotonic()
        if self._shows and now - self._shown >= OFTEN:
            self._shown = now
            rate = self._runs / max(now - self._began, 1e-9)
            faults = "single faults" if len(trial.schedule) == 1 else f"sets of {len(trial.schedule)} faults"
            line = f"{self._runs} runs  {rate:.0f}/s  {len(search.findings)} found  {search.left} {faults} left"
            self._to.write(f"\r\x1b[2K{line}")
            self._to.flush()


def tell(name: str, explored: Explored, files: Sequence[Path]) -> None:
    """What a search came to, for people: the claim, what limits it, the failures, the table."""
    coverage = explored.coverage
    typer.echo(f"{name}\n{coverage.claim}")
    for note in coverage.notes:
        typer.echo(f"  {note}")
    for found, file in zip(explored.found, files, strict=True):
        typer.echo("")
        _tell_found(found, file)
    typer.echo("")
    typer.echo(_table(coverage.lines))
    if coverage.revealed:
        calls = ", ".join(f"{target} ({number})" for target, number in coverage.revealed)
        typer.echo(f"\nOnly recovering makes these calls: {calls}.")
    rate = f"{explored.runs / max(explored.seconds, 1e-9):.0f}/s"
    shrinking = f", {explored.shrinking} of them to shrink" if explored.shrinking else ""
    typer.echo(f"{explored.runs} runs in {explored.seconds:.1f} s ({rate}){shrinking}")


def _tell_found(found: Found, file: Path) -> None:
    smallest = " (no fault can be left out)" if found.minimal and found.schedule else ""
    typer.echo(f"{found.observed.status}: {found.observed.what}")
    for choice in found.schedule:
        typer.echo(f"{INDENT}{choice}")
    typer.echo(f"{INDENT}{found.details.line}{smallest}")
    for line in found.observed.message.splitlines():
        typer.echo(f"{INDENT}{line}")
    typer.echo(f"{INDENT}squall replay {file}")


def _table(lines: Sequence[Line]) -> str:
    """A row per target: how many points there were, which share of what could happen there did, what failed."""
    rows = [("at", "points", "faults tried", "failed")]
    for target in dict.fromkeys(line.target for line in lines):
        own = [line for line in lines if line.target == target]
        points = max(line.seen for line in own)
        tried, possible = sum(line.faulted for line in own), sum(line.seen for line in own)
        bad = ", ".join(dict.fromkeys(line.kind for line in own if line.bad))
        rows.append((target, str(points), f"{tried} of {possible}", bad or "-"))
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    )
