"""The lab's summary as Markdown, for people: the headline, strategies against faults, what it does not show.

As a job's summary on GitHub shows it. Whatever a scenario or a strategy is called stands there as text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from squall.reports.cells import Cell
from squall.reports.headline import headline, remarks, scope
from squall.reports.in_markdown import escaped, table
from squall.reports.limits import limits
from squall.reports.pairs import Pair
from squall.reports.summary import Summary
from squall.reports.visible import visible
from squall.reports.wording import UNKNOWN, between, percent, seconds

LONGEST = 80
HEAD = ("strategy", "passed", "rate", "95 % interval", "recovered", "not reached", "median latency", "p95")


def markdown(summary: Summary, against: Sequence[Pair] = ()) -> str:
    """The whole file."""
    return "\n".join(_lines(summary, against)) + "\n"


def _lines(summary: Summary, against: Sequence[Pair]) -> Iterator[str]:
    yield f"### squall: {_text(headline(summary), 400)}"
    yield ""
    if summary.runs:
        yield f"{scope(summary)}."
        yield ""
        for each in remarks(summary):
            yield _text(each, 400)
            yield ""
        yield from table(HEAD, [_overall(cell) for cell in summary.of("strategy")])
        yield ""
        grid = summary.grid("fault")
        rows = [
            [_text(fault), *(_share(grid.get((fault, strategy))) for strategy in summary.strategies)]
            for fault in summary.faults
        ]
        yield from table(["fault", *map(_text, summary.strategies)], rows)
        yield ""
    if against:
        yield "#### A against B"
        yield ""
    for pair in against:
        yield f"- {_text(pair.sentence, 600)}"
    if against:
        yield ""
    yield "<details><summary>What this does not show</summary>"
    yield ""
    for each in limits(summary):
        yield f"- {_text(each, 400)}"
    yield ""
    yield "</details>"


def _overall(cell: Cell) -> list[str]:
    return [
        _text(cell.strategy),
        f"{cell.met} of {cell.judged}",
        percent(cell.rate),
        between(*cell.interval) if cell.judged else UNKNOWN,
        f"{cell.recovered} of {cell.fired}",
        str(cell.not_reached),
        seconds(cell.latency.median),
        seconds(cell.latency.p95),
    ]


def _share(cell: Cell | None) -> str:
    if cell is None:
        return "no run"
    unmet = f", {cell.not_reached} not reached" if cell.not_reached else ""
    unmet += f", {cell.spared} did not fire" if cell.spared else ""
    return f"{cell.met} of {cell.judged}{unmet}" if cell.judged else "never fired"


def _text(words: str, longest: int = LONGEST) -> str:
    return escaped(visible(words, longest))
