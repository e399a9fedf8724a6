"""The aggregate rows of the lab as plain values: what CSV and JSON hold, and the table of Markdown shows.

One row for each cell. The names of the columns are the format, version 1: new ones come at the end.
"""

from __future__ import annotations

from typing import Any

from squall.reports.cells import MOST_K, STATUSES, Cell
from squall.reports.summary import Summary

DIGITS = 6
COLUMNS = (
    "group",
    "name",
    "strategy",
    "runs",
    "judged",
    "met",
    "pass_rate",
    "low",
    "high",
    *(f"pass_hat_{k}" for k in range(1, MOST_K + 1)),
    "fired",
    "recovered",
    "not_reached",
    "spared",
    *STATUSES,
    "latency_median_s",
    "latency_p95_s",
    "calls_median",
    "calls_p95",
    "retries_per_call",
    "duplicate_effects",
    "tokens",
    "cost",
    "courses",
)


def rows(summary: Summary) -> list[dict[str, Any]]:
    """One for each cell, in the summary's order; None where there is no number."""
    return [_row(cell) for cell in summary.cells]


def _row(cell: Cell) -> dict[str, Any]:
    is_judged = cell.judged > 0
    values = (
        cell.group,
        cell.name,
        cell.strategy,
        cell.runs,
        cell.judged,
        cell.met,
        _rounded(cell.rate),
        _rounded(cell.interval.low) if is_judged else None,
        _rounded(cell.interval.high) if is_judged else None,
        *(_rounded(cell.pass_k[k]) if k < len(cell.pass_k) else None for k in range(MOST_K)),
        cell.fired,
        cell.recovered,
        cell.not_reached,
        cell.spared,
        *(cell.statuses.get(status, 0) for status in STATUSES),
        cell.latency.median,
        cell.latency.p95,
        cell.calls.median,
        cell.calls.p95,
        cell.retries,
        cell.duplicate_effects,
        cell.tokens,
        cell.cost,
        cell.courses,
    )
    return dict(zip(COLUMNS, values, strict=True))


def _rounded(value: float | None) -> float | None:
    return None if value is None else round(value, DIGITS)
