"""Bootstrap: the interval of a statistic, from samples drawn with replacement out of the one at hand.

The draws depend on nothing but the seed, the resample's number and how many values there are: the same in every
process. Resample what varies independently: tasks, not runs of one task. Knows no tasks and no rates.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Sequence
from hashlib import shake_256
from math import fsum

from squall.canonical import integer
from squall.stats.interval import USUAL, Interval, check_confidence
from squall.stats.quantile import quantile

RESAMPLES = 2000
WORD, BITS = 4, 32  # bytes and bits that one index is made of


def mean(values: Sequence[float]) -> float:
    """The same on every version of Python, whatever the order."""
    return fsum(values) / len(values)


def bootstrap(
    values: Sequence[float],
    statistic: Callable[[Sequence[float]], float] = mean,
    *,
    confidence: float = USUAL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """The percentile interval of a statistic of `values` (Efron, 1979).

    ValueError without values or resamples, or where the confidence makes no sense.
    """
    check_confidence(confidence)
    if not values or resamples < 1:
        raise ValueError(f"nothing can be resampled: {len(values)} values, {resamples} resamples")
    found = sorted(statistic([values[at] for at in indices(len(values), number, seed)]) for number in range(resamples))
    return Interval(quantile(found, (1 - confidence) / 2), quantile(found, (1 + confidence) / 2))


def indices(size: int, number: int, seed: int = 0) -> list[int]:
    """Resample `number` of a sample of `size` values: as many places in it, drawn with replacement."""
    start = integer("bootstrap", seed, number).to_bytes(8, "big")
    words = struct.unpack(f"<{size}I", shake_256(start).digest(size * WORD))
    return [word * size >> BITS for word in words]
