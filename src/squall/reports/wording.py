"""Numbers as people read them: shares, seconds, counts. The same words in every report."""

from __future__ import annotations

from collections.abc import Iterable

from squall.errors import counted

__all__ = ["UNKNOWN", "between", "counted", "listed", "number", "percent", "seconds"]

MINUTE, HOUR = 60.0, 3600.0
LEAST, MOST = 0.01, 0.99
UNKNOWN = "–"
"""Where there is no number."""
FINE = 10


def percent(share: float | None) -> str:
    """`83 %`. All and none are said of nothing less: 0.999 is `>99 %`."""
    if share is None:
        return UNKNOWN
    if 0 < share < LEAST:
        return "<1 %"
    if MOST < share < 1:
        return ">99 %"
    return f"{share * 100:.0f} %"


def between(low: float, high: float) -> str:
    """`44–97 %`: a rate's interval."""
    return f"{low * 100:.0f}–{high * 100:.0f} %"


def seconds(value: float | None) -> str:
    """`0 s`, `0.25 s`, `61 s`, `5 min`, `2.5 h`."""
    if value is None:
        return UNKNOWN
    if value >= 2 * HOUR:
        return f"{_short(value / HOUR)} h"
    if value >= 3 * MINUTE:
        return f"{_short(value / MINUTE)} min"
    return f"{_short(value)} s"


def number(value: float | None) -> str:
    """`12`, `2.5`, `1,200`."""
    return UNKNOWN if value is None else _short(value)


def listed(words: Iterable[str], last: str = "and") -> str:
    """`a, b and c`."""
    *most, end = words
    return f"{', '.join(most)} {last} {end}" if most else end


def _short(value: float) -> str:
    """At most three digits that say something."""
    if value == int(value):
        return f"{int(value):,}"
    if abs(value) >= 10 * FINE:
        return f"{value:,.0f}"
    return f"{value:.2f}".rstrip("0").rstrip(".") if abs(value) < FINE else f"{value:.1f}".rstrip("0").rstrip(".")
