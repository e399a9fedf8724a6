"""The words of failures: the schedule, the run as a picture, what is violated, what was covered, how to run it again.

Knows text; what was found and where it is kept is handed in.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from squall.errors import counted
from squall.explore import Observed
from squall.explore.choice import in_words
from squall.pytest_plugin.bad_runs import folded
from squall.pytest_plugin.exploring.picture import drawn
from squall.runs.exploring.details import Details, trace_of
from squall.runs.exploring.search import Explored, Found

WIDTH = 80
INDENT = "    "
MOST_TOLD = 5
MINIMAL = "It takes all of its faults: without any one of them this does not happen."
ALONE = "It takes this fault: without it this does not happen."
UNCHECKED = "Whether it takes all of its faults was not checked."
NOT_AGAIN = (
    "Run once more under the same faults this did not happen, so it is not kept as a file. Something else decides it, "
    "too: chance, threads, or what earlier runs left behind (in fixtures of a wider scope, in modules)."
)
BY_ITSELF = (
    "It needs no fault: of two runs without one, this one failed. What the test leaves behind (in fixtures of a wider "
    "scope, in modules) reaches its next run."
)


class Kept(NamedTuple):
    """Where a failure is kept, and the line that runs it again; `file` is None where nothing was written."""

    file: Path | None
    again: str


def told(explored: Explored, kept: Sequence[Kept]) -> str:
    """All that was found: the first in full, others shorter, and those beyond the first few in a line or two each."""
    lines: list[str] = []
    for number, (found, where) in enumerate(zip(explored.found[:MOST_TOLD], kept, strict=False), start=1):
        if number > 1:
            lines += [f"{number}. {found.finding.failure}", *_indented(found.finding.message)]
        lines += [*_one(found, where), ""]
    if rest := list(zip(explored.found, kept, strict=False))[MOST_TOLD:]:
        lines += [f"and {counted(len(rest), 'more failure')}:", *_briefly(rest), ""]
    return "\n".join([*lines, *covered(explored)])


def covered(explored: Explored) -> Iterator[str]:
    """What was tried, in sentences."""
    counts = f"{explored.runs:,} runs in {explored.seconds:.2g} s"
    if explored.shrinking:
        counts += f", {explored.shrinking:,} of them to shrink what failed"
    yield from folded(f"{explored.coverage.claim} {counts}.", WIDTH, "")
    for note in explored.coverage.notes:
        yield from folded(note, WIDTH, "  ")


def pictured(details: Details, observed: Observed) -> list[str]:
    """The picture of a run."""
    return drawn(trace_of(details), observed.status.replace("_", " ")) if details.lines else []


def _one(found: Found, kept: Kept) -> Iterator[str]:
    if not found.schedule:
        yield from folded(BY_ITSELF, WIDTH, "")
    else:
        yield from folded(f"under {in_words(found.schedule, found.calls)}", WIDTH, INDENT)
        if not found.shows_again:
            yield from folded(NOT_AGAIN, WIDTH, "")
        elif found.minimal:
            yield ALONE if len(found.schedule) == 1 else MINIMAL
        else:
            yield UNCHECKED
    if found.shows_again or not found.schedule:  # else it is the picture of a run that shows something else
        yield ""
        yield from pictured(found.details, found.observed)
    yield ""
    if kept.file is not None:
        yield f"kept in {kept.file.as_posix()}"
    if kept.again:
        yield kept.again if kept.file is None else f"again:  {kept.again}"


def _briefly(rest: Iterable[tuple[Found, Kept]]) -> Iterator[str]:
    for found, where in rest:
        yield f"  {found.finding.failure}"
        under = f"under {in_words(found.schedule, found.calls)}" if found.schedule else BY_ITSELF
        yield from folded(f"{INDENT}{under}", WIDTH, INDENT)
        if where.again:
            yield f"{INDENT}{where.again}"


def _indented(text: str) -> list[str]:
    return [f"{INDENT}{line}" for line in text.splitlines()]
