"""The smallest whole number for which something holds, where it holds from there on.

Knows nothing of what it looks for.
"""

from __future__ import annotations

from collections.abc import Callable

FAR = 10**9  # more runs than anyone makes


def first(holds: Callable[[int], bool], start: int = 0, end: int = FAR) -> int | None:
    """The smallest number from `start` on for which it holds, by doubling and halving; None if that is beyond `end`."""
    low, high = start, start
    while not holds(high):
        if high > end:
            return None
        low, high = high + 1, high + max(1, 2 * (high - start))
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if holds(middle) else (middle + 1, high)
    return low
