"""The numbers behind the pictures: every cell, and the runs one by one, to be opened by whoever wants to check."""

from __future__ import annotations

from collections.abc import Sequence

from squall.reports.cells import Cell, passes
from squall.reports.page.markup import Markup, name, tag
from squall.reports.summary import Summary
from squall.reports.visible import visible
from squall.reports.wording import UNKNOWN, between, counted, listed, number, percent, seconds
from squall.store.record import RunRecord

LONGEST = 48
SHORT = 12
"""Digits of a run's hash that are shown."""
MOST_RUNS = 400
"""Rows of runs that are shown; failures come first."""
CELL_HEAD = (
    "Strategy",
    "Runs",
    "Passed",
    "Rate",
    "95 % interval",
    "Recovered",
    "Not reached",
    "Did not fire",
    "Median latency",
    "p95",
    "Median calls",
    "p95",
    "Writes twice",
    "Cost units",
    "Statuses",
)
RUN_HEAD = (
    "Strategy",
    "Seed",
    "Run",
    "Passed?",
    "Status",
    "Faults: times fired",
    "Recovered",
    "Calls",
    "Attempts",
    "Writes twice",
    "Latency",
    "Cost units",
    "Id",
)
WORDS = frozenset({"Scenario", "Fault", "Strategy", "Passed?", "Status", "Statuses", "Faults: times fired", "Id"})
"""The columns that hold words, on the left; numbers are on the right."""


def cells(title: str, first: str, rows: Sequence[Cell]) -> Markup:
    """A table of aggregate rows."""
    head = (first, *CELL_HEAD) if first else CELL_HEAD
    body = [tag("tr", _cell_row(cell, named=bool(first))) for cell in rows]
    return _opened(title, counted(len(rows), "row"), head, body)


def _cell_row(cell: Cell, *, named: bool) -> list[Markup]:
    low, high = cell.interval
    values = [
        *([cell.name] if named else []),
        cell.strategy,
        f"{cell.runs:,}",
        f"{cell.met:,} of {cell.judged:,}",
        percent(cell.rate),
        between(low, high) if cell.judged else UNKNOWN,
        f"{cell.recovered:,} of {cell.fired:,}",
        f"{cell.not_reached:,}",
        f"{cell.spared:,}",
        seconds(cell.latency.median),
        seconds(cell.latency.p95),
        number(cell.calls.median),
        number(cell.calls.p95),
        f"{cell.duplicate_effects:,}",
        number(cell.cost),
        listed(f"{count:,} {status.replace('_', ' ')}" for status, count in cell.statuses.items()),
    ]
    words = 2 if named else 1
    return [*_words(values[:words]), *_numbers(values[words:-1]), *_words(values[-1:])]


def runs(summary: Summary, given: Sequence[RunRecord]) -> Markup:
    """A table of runs, those that did not pass first."""
    first = sorted(given, key=passes)[:MOST_RUNS]
    has_samples = any(run.sample for run in first)
    head = ("Scenario", *RUN_HEAD)
    body = [tag("tr", _run_row(summary, run, sampled=has_samples)) for run in first]
    shown = counted(len(given), "run")
    if len(given) > len(first):
        shown = f"the first {len(first):,} of {shown}, failures first"
    return _opened("Runs one by one", shown, head, body)


def _run_row(summary: Summary, run: RunRecord, *, sampled: bool) -> list[Markup]:
    metrics = run.metrics
    fired = ", ".join(f"{visible(fault.kind, LONGEST)} {fault.fired}" for fault in run.faults)
    words = [run.scenario, summary.labels[run.hash]]
    numbers = [str(run.seed), f"{run.run_index}.{run.sample}" if sampled else str(run.run_index)]
    verdicts = ["yes" if passes(run) else "no", run.status.replace("_", " "), fired or UNKNOWN]
    rest = [
        "yes" if passes(run) and metrics.fired else "no" if metrics.fired else UNKNOWN,
        f"{metrics.calls:,}",
        f"{metrics.attempts:,}",
        f"{metrics.duplicate_effects:,}",
        seconds(metrics.latency_s),
        number(metrics.cost),
    ]
    identity = tag("td", tag("code", visible(run.hash[:SHORT])))
    return [*_words(words), *_numbers(numbers), *_words(verdicts), *_numbers(rest), identity]


def _words(values: Sequence[str]) -> list[Markup]:
    return [tag("td", name(value, LONGEST)) for value in values]


def _numbers(values: Sequence[str]) -> list[Markup]:
    return [tag("td", value, class_="n") for value in values]


def _opened(title: str, size: str, head: Sequence[str], body: Sequence[Markup]) -> Markup:
    columns = [tag("th", title, scope="col", class_=None if title in WORDS else "n") for title in head]
    table = tag("table", tag("thead", tag("tr", columns)), tag("tbody", body), class_="evidence")
    region = tag("div", table, class_="wide", tabindex="0", role="region", aria_label=title)
    return tag("details", tag("summary", title, tag("span", f" {size}", class_="muted")), region)
