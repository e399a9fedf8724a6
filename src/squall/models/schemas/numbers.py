"""A number within a schema's bounds: zero where that is allowed, else the allowed one that is nearest to it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import count, islice
from typing import Any

TRIES = 1000


def number(schema: Mapping[str, Any], *, whole: bool, variant: int = 0) -> int | float:
    """A number for a schema; `whole` if it has no fraction. Other variants are other numbers, as far as there are."""
    low, high = _bound(schema, "minimum", "exclusiveMinimum"), _bound(schema, "maximum", "exclusiveMaximum")
    step = _step(schema, whole=whole) or _between(low, high)

    def allowed(value: Fraction) -> bool:
        above = low is None or (value > low[0] if low[1] else value >= low[0])
        return above and (high is None or (value < high[0] if high[1] else value <= high[0]))

    start = Fraction(0)
    if low is not None and low[0] > 0:
        start = math.ceil(low[0] / step) * step
    elif high is not None and high[0] < 0:
        start = math.floor(high[0] / step) * step
    found = [value for value in islice(_around(start, step), TRIES) if allowed(value)]
    value = found[variant % len(found)] if found else start
    return int(value) if value.denominator == 1 else float(value)


def _around(start: Fraction, step: Fraction) -> Iterator[Fraction]:
    """Numbers on both sides, the nearest first."""
    yield start
    for distance in count(1):
        yield start + distance * step
        yield start - distance * step


def _bound(schema: Mapping[str, Any], name: str, excluding: str) -> tuple[Fraction, bool] | None:
    """A bound, and whether it is itself excluded; the older drafts say so with a flag."""
    bound, excluded = _exact(schema.get(name)), schema.get(excluding)
    if excluded is True:
        return None if bound is None else (bound, True)
    other = _exact(excluded)
    if bound is None or other is None:
        return (bound, False) if other is None and bound is not None else None if other is None else (other, True)
    stricter = other >= bound if name == "minimum" else other <= bound
    return (other, True) if stricter else (bound, False)


def _step(schema: Mapping[str, Any], *, whole: bool) -> Fraction | None:
    multiple = _exact(schema.get("multipleOf"))
    if not multiple:
        return Fraction(1) if whole else None
    return Fraction(multiple.numerator) if whole else multiple


def _between(low: tuple[Fraction, bool] | None, high: tuple[Fraction, bool] | None) -> Fraction:
    """A step that some number between the bounds is a multiple of."""
    if low is None or high is None or high[0] <= low[0]:
        edge = next((bound[0] for bound in (low, high) if bound is not None), Fraction(1))
        return Fraction(1, edge.denominator)
    room = (high[0] - low[0]) / 2
    step = Fraction(1, low[0].denominator)
    while step > room:
        step /= 2
    return step


def _exact(value: Any) -> Fraction | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        return None
    return Fraction(str(value)) if isinstance(value, float) else Fraction(value)
