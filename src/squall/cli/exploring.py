"""How an exploration is told on a terminal: a live line while it goes on, and then what it came to, in 80 columns."""

from __future__ import annotations

import signal
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from textwrap import wrap
from types import FrameType, TracebackType
from typing import Any, Self, TextIO

import typer

from squall.clock import real
from squall.explore import Line, Observed, Schedule, Search, Trial
from squall.explore.calls import UNTOLD, Calls
from squall.explore.shares import name as name_of_share
from squall.reports.exploration import NOT_AGAIN, Exploration, Failure, alike, choice_in_words, revealed
from squall.reports.lines import WIDTH, labelled, wrapped
from squall.reports.wording import counted

OFTEN = 0.1  # seconds between two looks
LABEL = 7
MOST = 12
"""Failures that are told in full; of the others what and where they are."""
LINES = 12
"""Lines of a failure's own words."""


class Live:
    """Runs so far, how fast, what was found, what is left of this generation. On a terminal alone.

    `told` is told of each run, too. An interrupt (Ctrl-C) lets the run that is under way end, and no other begin; a
    second one ends everything.
    """

    def __init__(self, to: TextIO, told: Callable[[Trial, Observed], None] | None = None) -> None:
        self._to, self._shows = to, to.isatty()
        self._told = told
        self._runs = 0
        self._of_size: Counter[int] = Counter()
        self._began = self._shown = real.monotonic()
        self._before: Any = None
        self.interrupted = False

    def __enter__(self) -> Self:
        self._before = signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        signal.signal(signal.SIGINT, self._before)
        self._clear()

    def __call__(self, search: Search, trial: Trial, observed: Observed) -> None:
        """One more run."""
        if self._told is not None:
            self._told(trial, observed)
        self._runs += 1
        self._of_size[len(trial.schedule)] += 1
        if self.interrupted:
            search.stop("it was interrupted")
        now = real.monotonic()
        if self._shows and now - self._shown >= OFTEN:
            self._shown = now
            self._clear()
            self._to.write(self._line(search, len(trial.schedule), now)[: WIDTH - 1])
            self._to.flush()

    def _line(self, search: Search, size: int, now: float) -> str:
        rate = self._runs / max(now - self._began, 1e-9)
        done = self._of_size[size]
        share = f"{100 * done // (done + search.left)} % of {name_of_share(size)[1]}, {search.left} left"
        return f"{self._runs} runs  {rate:.0f}/s  {len(search.findings)} found  {share}"

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        if self.interrupted:
            raise KeyboardInterrupt
        self.interrupted = True
        self._clear()
        self._to.write("interrupted: telling what was found so far (once more to end at once)\n")

    def _clear(self) -> None:
        if self._shows:
            self._to.write("\r\x1b[2K")
            self._to.flush()


def told_altered(altered: Sequence[tuple[str, str]]) -> None:
    """What altered end states have shown."""
    typer.echo("altered end states, to see whether what is expected can fail:")
    for what, by in altered:
        typer.echo(wrapped(f"{what}: {f'noticed by {by}' if by else 'nobody noticed'}", 2))
    typer.echo("")


def tell(shown: Exploration, seconds: float) -> None:
    """What a search came to, for people: the claim, what limits it, the failures, the table."""
    coverage = shown.coverage
    typer.echo(wrapped(shown.name))
    typer.echo(wrapped(coverage.claim))
    for remark in shown.remarks:
        typer.echo(wrapped(remark, 2))
    for failure in shown.failures[:MOST]:
        typer.echo("")
        typer.echo("\n".join(_failure(failure)))
    if rest := shown.failures[MOST:]:
        typer.echo(f"\nand {counted(len(rest), 'more failure')}:")
        for failure in rest:
            typer.echo(wrapped(f"{failure.status}: {failure.violated}", 2))
            if failure.replay:
                typer.echo(f"    {failure.replay}")
    if coverage.lines:
        typer.echo("")
        typer.echo(_table(coverage.lines))
    if calls := revealed(coverage):
        typer.echo("")
        typer.echo(wrapped(calls))
    rate = f"{shown.runs / max(seconds, 1e-9):.0f}/s"
    smaller = shown.runs - coverage.runs
    shrinking = f", {smaller} of them to make failures smaller" if smaller else ""
    typer.echo(f"{counted(shown.runs, 'run')} in {seconds:.1f} s ({rate}){shrinking}")


def _failure(failure: Failure) -> Iterator[str]:
    yield wrapped(f"{failure.status}: {failure.violated}")
    yield from in_short(failure.schedule, failure.line, failure.violated, failure.message, failure.calls)
    seen = f"in {counted(failure.times, 'run')}"
    smallest = "; no fault can be left out" if failure.minimal and len(failure.schedule) > 1 else ""
    unchecked = "" if failure.minimal or not failure.schedule else "; whether fewer faults are enough was not checked"
    yield _labelled("seen", f"{seen}{smallest}{unchecked}" if failure.again else f"{seen}. {NOT_AGAIN}")
    if others := alike(failure):
        yield _labelled("alike", others)
    if failure.replay:
        yield f"    {failure.replay}"


def in_short(schedule: Schedule, line: str, violated: str, message: str, calls: Calls = UNTOLD) -> Iterator[str]:
    """A run under a schedule, in lines: the faults, the calls, and what is wrong where that says more than its name."""
    for place, choice in enumerate(schedule):
        yield _labelled("and" if place else "under", choice_in_words(choice, calls))
    if not schedule:
        yield _labelled("under", "no fault")
    if line:
        yield _labelled("run", line)
    told = [each for each in message.removeprefix(f"{violated}: ").splitlines() if each.strip() and each != violated]
    for place, each in enumerate(told[:LINES]):
        yield _labelled("" if place else "said", each.strip(), len(each) - len(each.lstrip()))
    if len(told) > LINES:
        yield _labelled("", f"and {counted(len(told) - LINES, 'more line')}")


def _labelled(label: str, text: str, inside: int = 0) -> str:
    return labelled(label, text, indent=4, wide=LABEL, inside=inside)


def _table(lines: Sequence[Line]) -> str:
    """A row per target: what was tried where a run without faults comes, what behind other faults, and what failed."""
    rows = [("at", "tried", "behind a fault", "failed with")]
    for target in dict.fromkeys(line.target for line in lines):
        own = [line for line in lines if line.target == target]
        tried, calm = sum(line.calm_faulted for line in own), sum(line.calm for line in own)
        behind, all_behind = sum(line.faulted for line in own) - tried, sum(line.seen for line in own) - calm
        bad = list(dict.fromkeys(line.kind for line in own if line.bad))
        rows.append((target, _of(tried, calm), _of(behind, all_behind), ", ".join(bad)))
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]) - 1)]
    left = sum(widths) + 2 * len(widths)
    told = []
    for row in rows:
        head = "".join(cell.ljust(width + 2) for cell, width in zip(row, widths, strict=False))
        told += wrap(row[-1] or "-", max(WIDTH, left + 30), initial_indent=head, subsequent_indent=" " * left)
    return "\n".join(told)


def _of(number: int, all_: int) -> str:
    return f"{number} of {all_}" if all_ else "-"
