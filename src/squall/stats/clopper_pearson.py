"""The exact interval of a rate, and its one-sided bounds: what a gate decides by.

It holds the true rate with *at least* the confidence that was asked for, whatever the rate is (Clopper and Pearson,
1934); for few runs it is wider than it need be. Knows counts and a confidence, nothing else.
"""

from __future__ import annotations

from squall.stats.binomial import beta_quantile
from squall.stats.interval import USUAL, Interval, check_confidence, check_counts


def clopper_pearson(passed: int, runs: int, confidence: float = USUAL) -> Interval:
    """The two-sided interval for the true rate behind `passed` of `runs`; each side errs with half of what is left.

    Without any run nothing is known: (0, 1). ValueError where the counts or the confidence make no sense.
    """
    one_sided = (1 + confidence) / 2
    return Interval(lower_bound(passed, runs, one_sided), upper_bound(passed, runs, one_sided))


def lower_bound(passed: int, runs: int, confidence: float = USUAL) -> float:
    """The true rate is at least this, at this one-sided confidence."""
    check_counts(passed, runs)
    check_confidence(confidence)
    return beta_quantile(passed, runs - passed + 1, 1 - confidence) if passed else 0.0


def upper_bound(passed: int, runs: int, confidence: float = USUAL) -> float:
    """The true rate is at most this, at this one-sided confidence."""
    check_counts(passed, runs)
    return 1 - lower_bound(runs - passed, runs, confidence)
