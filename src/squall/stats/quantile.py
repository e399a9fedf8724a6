"""Quantiles of a sample: medians and 95th percentiles, as tables show them.

Of the many definitions this is type 7 of Hyndman and Fan (1996), linear between the values in order: what numpy's
`quantile` does by default, and `statistics.quantiles` by its method "inclusive". Knows nothing of what was measured.
"""

from __future__ import annotations

from collections.abc import Iterable


def quantile(values: Iterable[float], share: float) -> float:
    """The value below which `share` (0 to 1) of the sample lies. ValueError without values or for another share."""
    ordered = sorted(values)
    if not ordered:
        raise ValueError("no values have no quantile")
    if not 0 <= share <= 1:
        raise ValueError(f"a share lies between 0 and 1, not {share}")
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def median(values: Iterable[float]) -> float:
    """The value in the middle."""
    return quantile(values, 0.5)


def p95(values: Iterable[float]) -> float:
    """The 95th percentile."""
    return quantile(values, 0.95)
