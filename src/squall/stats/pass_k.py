"""pass^k and pass@k of an agent over tasks: all of k tries pass, or at least one does.

Both are estimated without bias from n tries of a task of which c passed (pass@k: Chen and others, 2021; pass^k: Yao and
others, 2024, τ-bench): the share of all ways to choose k of the n tries. `(c / n) ** k` is not. Knows counts of tasks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import comb
from typing import NamedTuple

from squall.stats.bootstrap import RESAMPLES, bootstrap, mean
from squall.stats.interval import USUAL, check_counts

Measure = Callable[[int, int, int], float]


class Estimate(NamedTuple):
    """A mean over tasks, and the interval in which it lies for tasks of this kind."""

    value: float
    low: float
    high: float


def pass_hat_k(passed: int, runs: int, k: int) -> float:
    """The probability that k tries of a task all pass, from `passed` of `runs`; ValueError if `runs` is less than k."""
    _check(passed, runs, k)
    return comb(passed, k) / comb(runs, k)


def pass_at_k(passed: int, runs: int, k: int) -> float:
    """The probability that of k tries of a task one or more pass, from `passed` of `runs`. ValueError as above."""
    _check(passed, runs, k)
    return 1 - comb(runs - passed, k) / comb(runs, k)


def over_tasks(
    measure: Measure,
    tasks: Sequence[tuple[int, int]],
    k: int,
    *,
    confidence: float = USUAL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Estimate:
    """The mean of `pass_hat_k` or `pass_at_k` over tasks, each `(passed, runs)`, with a bootstrap over the tasks."""
    values = [measure(passed, runs, k) for passed, runs in tasks]
    low, high = bootstrap(values, confidence=confidence, resamples=resamples, seed=seed)
    return Estimate(mean(values), low, high)


def _check(passed: int, runs: int, k: int) -> None:
    check_counts(passed, runs)
    if not 1 <= k <= runs:
        raise ValueError(f"k lies between 1 and the number of runs, {runs}: it cannot be {k}")
