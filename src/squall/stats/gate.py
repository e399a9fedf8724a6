"""A gate's verdict over a rate, with confidence: passed, failed, or not decided by so few runs.

It passes when the lower bound of the true rate reaches what is required, and fails when the upper bound stays below it.
Both are Clopper's and Pearson's, each one-sided at the full confidence: at 95 %, at most 5 of 100 gates pass an agent
that is worse than required, and at most 5 of 100 fail one that is good enough. That holds for a number of runs that was
fixed beforehand. Knows counts; what a run is, and what becomes of a verdict, is for others.
"""

from __future__ import annotations

from math import ceil, floor
from typing import Literal, NamedTuple

from squall.errors import counted
from squall.stats.binomial import at_least
from squall.stats.clopper_pearson import lower_bound, upper_bound
from squall.stats.interval import USUAL, check_rate
from squall.stats.search import first

SLACK = 1e-12  # a bound that equals the rate reaches it, whatever the floats say
PER_CENT = 100


class GateVerdict(NamedTuple):
    """What `passed` of `runs` say about a required rate.

    `low` and `high` are the one-sided bounds. Where the verdict is inconclusive, `more_if_all_pass` is the number of
    further runs with which the gate passes if none of them fails, and `more_at_this_rate` the number with which it is
    decided if they pass as often as those before; None where no number would do (a rate of 1 cannot be shown).
    """

    verdict: Literal["pass", "fail", "inconclusive"]
    passed: int
    runs: int
    rate: float
    confidence: float
    low: float
    high: float
    more_if_all_pass: int | None = None
    more_at_this_rate: int | None = None

    @property
    def reason(self) -> str:
        """Why, or where it is inconclusive, what would decide."""
        if self.verdict == "pass":
            return f"the true rate is at least {_percent(floor(self.low * PER_CENT**2))}"
        if self.verdict == "fail":
            return f"the true rate is at most {_percent(ceil(self.high * PER_CENT**2))}"
        if self.more_if_all_pass is None:
            return f"no number of runs shows {self.rate * PER_CENT:.4g} %"
        said = f"it passes with {_runs(self.more_if_all_pass)} if all of them pass"
        if self.more_at_this_rate is None or self.more_at_this_rate == self.more_if_all_pass:
            return said
        end = "with" if self.passed > self.rate * self.runs else "and fails with"
        return f"{said}, {end} {self.more_at_this_rate:,} at the rate so far"


def gate(passed: int, runs: int, rate: float, confidence: float = USUAL) -> GateVerdict:
    """Judge whether the true rate behind `passed` of `runs` is at least `rate`.

    ValueError where counts, rate or confidence make no sense.
    """
    check_rate(rate)
    low, high = lower_bound(passed, runs, confidence), upper_bound(passed, runs, confidence)
    if low + SLACK >= rate:
        return GateVerdict("pass", passed, runs, rate, confidence, low, high)
    if high < rate - SLACK:
        return GateVerdict("fail", passed, runs, rate, confidence, low, high)
    flawless = first(lambda more: shows(passed + more, runs + more, rate, confidence), 1) if rate < 1 else None
    alike = None if rate == 1 else _at_this_rate(passed, runs, rate, confidence)
    return GateVerdict("inconclusive", passed, runs, rate, confidence, low, high, flawless, alike)


def shows(passed: float, runs: float, rate: float, confidence: float) -> bool:
    """Whether so many passes show that the true rate is at least `rate`: were it less, they would be too improbable."""
    return at_least(passed, runs, rate) <= 1 - confidence + SLACK


def refutes(passed: float, runs: float, rate: float, confidence: float) -> bool:
    """Whether so few passes show that the true rate is less than `rate`."""
    return at_least(runs - passed, runs, 1 - rate) < 1 - confidence - SLACK


def _at_this_rate(passed: int, runs: int, rate: float, confidence: float) -> int | None:
    """How many more runs decide if the share that passes stays what it is, be the passes whole numbers or not."""
    if not runs or passed == rate * runs:
        return None
    if passed > rate * runs:
        return first(lambda more: shows(passed * (1 + more / runs), runs + more, rate, confidence), 1)
    return first(lambda more: refutes(passed * (1 + more / runs), runs + more, rate, confidence), 1)


def _percent(hundredths: int) -> str:
    return f"{hundredths / PER_CENT:g} %"


def _runs(count: int) -> str:
    return counted(count, "more run")
