"""An interval for a rate, and what counts and confidences must be.

Knows no method: each has a module of its own.
"""

from __future__ import annotations

from typing import NamedTuple

USUAL = 0.95


class Interval(NamedTuple):
    """A lower and an upper bound; of a rate both lie within [0, 1]."""

    low: float
    high: float


def check_counts(passed: int, runs: int) -> None:
    """ValueError unless `passed` of `runs` can have passed."""
    if not 0 <= passed <= runs:
        raise ValueError(f"{passed} of {runs} runs cannot have passed")


def check_confidence(confidence: float) -> None:
    """ValueError unless it lies strictly between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError(f"a confidence lies between 0 and 1, not {confidence}")


def check_rate(rate: float) -> None:
    """ValueError unless it lies within [0, 1]."""
    if not 0 <= rate <= 1:
        raise ValueError(f"a rate lies between 0 and 1, not {rate}")
