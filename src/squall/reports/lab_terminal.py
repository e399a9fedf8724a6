"""The lab's summary as plain text of 80 columns, which reads well aloud: what the commands print.

No colour and no box: a line for each strategy, then a table of faults. Names are shortened to fit, never wrapped.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from squall.reports.cells import Cell
from squall.reports.headline import headline, remarks, scope
from squall.reports.lines import WIDTH, ends, wrapped
from squall.reports.pairs import Pair
from squall.reports.summary import Summary
from squall.reports.wording import between, percent, seconds

FIRST = 25
COLUMN = 14
GAP = 2


def terminal(summary: Summary, against: Sequence[Pair] = ()) -> str:
    """The whole text, with a newline at its end."""
    return "\n".join(_lines(summary, against)) + "\n"


def _lines(summary: Summary, against: Sequence[Pair]) -> Iterator[str]:
    yield wrapped(headline(summary))
    if not summary.runs:
        return
    for each in remarks(summary):
        yield wrapped(each)
    yield wrapped(f"({scope(summary)})")
    yield ""
    yield f"{'strategy':<{FIRST}}  {'passed':>11}  {'rate':>5}  {'interval':>9}  {'median time':>11}  {'p95 time':>8}"
    for cell in summary.of("strategy"):
        yield _overall(cell)
    strategies = list(summary.strategies)
    grid = summary.grid("fault")
    per_page = max(1, (WIDTH - FIRST) // (COLUMN + GAP))
    for start in range(0, len(strategies), per_page):
        columns = strategies[start : start + per_page]
        yield ""
        yield _row("fault", columns)
        for fault in summary.faults:
            yield _row(fault, [_share(grid.get((fault, strategy))) for strategy in columns])
    if any(cell.not_reached + cell.spared for cell in summary.of("fault")):
        yield ""
        yield wrapped("Only runs in which the fault fired count; +1 is one more in which it did not.")
    for pair in against:
        yield ""
        yield wrapped(pair.sentence)
    for note in summary.notes:
        yield wrapped(note)


def _overall(cell: Cell) -> str:
    share = f"{cell.met} of {cell.judged}"
    interval = between(*cell.interval) if cell.judged else ""
    return (
        f"{ends(cell.strategy, FIRST):<{FIRST}}  {share:>11}  {percent(cell.rate):>5}  {interval:>9}  "
        f"{seconds(cell.latency.median):>11}  {seconds(cell.latency.p95):>8}"
    ).rstrip()


def _share(cell: Cell | None) -> str:
    if cell is None:
        return "no run"
    missed = cell.not_reached + cell.spared
    unmet = f" +{missed}" if missed else ""
    return f"{cell.met} of {cell.judged}{unmet}"


def _row(name: str, cells: Sequence[str]) -> str:
    return f"{ends(name, FIRST):<{FIRST}}" + "".join(f"{'':{GAP}}{ends(cell, COLUMN):>{COLUMN}}" for cell in cells)
