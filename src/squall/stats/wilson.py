"""The Wilson score interval of a rate: what a gate's summary shows beside `12 of 20`.

Knows counts and a confidence, nothing else. (Wilson 1927; its coverage is near the nominal one for few runs too, and it
never leaves [0, 1], which the textbook interval p ± z·s does.)
"""

from __future__ import annotations

from math import sqrt

from squall.stats.interval import USUAL, Interval, check_confidence, check_counts

ITS_Z = 1.9599639845400536  # the normal distribution's quantile at 0.975


def wilson(passed: int, runs: int, confidence: float = USUAL) -> Interval:
    """The two-sided interval for the true rate behind `passed` of `runs`.

    Without any run nothing is known: (0, 1). ValueError where the counts or the confidence make no sense.
    """
    check_counts(passed, runs)
    check_confidence(confidence)
    if runs == 0:
        return Interval(0.0, 1.0)
    z = ITS_Z if confidence == USUAL else _quantile(0.5 + confidence / 2)
    rate, spread = passed / runs, z * z / runs
    middle = rate + spread / 2
    half = z * sqrt(rate * (1 - rate) / runs + spread / (4 * runs))
    low = 0.0 if passed == 0 else (middle - half) / (1 + spread)
    high = 1.0 if passed == runs else (middle + half) / (1 + spread)
    return Interval(low, high)


def _quantile(share: float) -> float:
    from statistics import NormalDist  # 2 ms, for an unusual confidence only

    return NormalDist().inv_cdf(share)
