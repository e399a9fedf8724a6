"""Two agents on the same schedules: which of them passes more often, and is that more than chance.

Each schedule is met by both, so only those on which they differ tell them apart (McNemar, 1947; the exact test), and
the difference of their rates is resampled in pairs. Where few differ that interval is too narrow; the p value is exact,
and decides. Knows who passed where; which agents and schedules is for others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from squall.stats.bootstrap import RESAMPLES, bootstrap
from squall.stats.clopper_pearson import upper_bound
from squall.stats.interval import USUAL, Interval, check_confidence

PER_CENT = 100
LEAST_P = 0.0001  # smaller ones are told as smaller than this


class Comparison(NamedTuple):
    """How two agents did on the same schedules.

    `both`, `only_a`, `only_b` and `neither` count the schedules that they passed. `difference` is B's rate minus A's,
    `interval` where it lies, `p_value` the probability of counts as unequal as these if the agents were equally good.
    """

    both: int
    only_a: int
    only_b: int
    neither: int
    difference: float
    interval: Interval
    p_value: float
    confidence: float

    @property
    def runs(self) -> int:
        """How many schedules there were."""
        return self.both + self.only_a + self.only_b + self.neither

    @property
    def passed_a(self) -> int:
        """How many of them A passed."""
        return self.both + self.only_a

    @property
    def passed_b(self) -> int:
        """How many of them B passed."""
        return self.both + self.only_b

    @property
    def decided(self) -> bool:
        """Whether chance alone would make such a difference too rarely, at this confidence."""
        return self.p_value <= 1 - self.confidence

    def sentence(self, a: str = "A", b: str = "B", *, of: str = "schedules") -> str:
        """All of it in words, with the agents' names, and what they were compared `of`."""
        counts = f"{a} passed {self.passed_a} of {self.runs:,} {of}, {b} {self.passed_b}"
        sure = f"at {self.confidence * PER_CENT:.4g} % confidence"
        low, high = (bound * PER_CENT for bound in self.interval)
        if not self.only_a + self.only_b:
            return f"{counts}, and none tells them apart: their rates differ by {high:.1f} points at most, {sure}."
        better, worse = (b, a) if self.difference > 0 else (a, b)
        if self.difference < 0:
            low, high = -high, -low
        points = f"{abs(self.difference) * PER_CENT:.1f} points"
        lead = f"{better} is {points} better than {worse}" if self.difference else "neither is better"
        chance = "hardly" if self.decided else "perhaps"
        p = f"p = {self.p_value:.4f}" if self.p_value >= LEAST_P else f"p < {LEAST_P:.4f}"
        return f"{counts}: {lead} ({_points(low)} to {_points(high)} points, {sure}), which is {chance} chance ({p})."


def _points(value: float) -> str:
    """To a tenth, and never `-0.0`."""
    return f"{round(value, 1) + 0.0:.1f}"


def mcnemar_exact(only_a: int, only_b: int) -> float:
    """The two-sided p value of McNemar's exact test, from the schedules that only one of the two passed."""
    if min(only_a, only_b) < 0:
        raise ValueError(f"no schedules cannot be fewer than 0: {only_a} and {only_b}")
    discordant, fewer = only_a + only_b, min(only_a, only_b)
    ways = term = 1
    for chosen in range(fewer):
        term = term * (discordant - chosen) // (chosen + 1)
        ways += term
    return min(1.0, 2 * ways / (1 << discordant))


def compare_paired(
    a: Sequence[bool],
    b: Sequence[bool],
    *,
    confidence: float = USUAL,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Comparison:
    """Compare two agents by whether each passed, schedule by schedule, in the same order.

    ValueError without schedules, where one has more of them, or where the confidence makes no sense.
    """
    check_confidence(confidence)
    if len(a) != len(b):
        raise ValueError(f"both must have run the same schedules, not {len(a)} and {len(b)}")
    if not a:
        raise ValueError("without schedules there is nothing to compare")
    pairs = list(zip(map(bool, a), map(bool, b), strict=True))
    gains = [after - before for before, after in pairs]
    only_a, only_b = gains.count(-1), gains.count(1)
    return Comparison(
        both=pairs.count((True, True)),
        only_a=only_a,
        only_b=only_b,
        neither=pairs.count((False, False)),
        difference=(only_b - only_a) / len(pairs),
        interval=_interval(gains, confidence, resamples, seed),
        p_value=mcnemar_exact(only_a, only_b),
        confidence=confidence,
    )


def _interval(gains: Sequence[int], confidence: float, resamples: int, seed: int) -> Interval:
    """Where the difference lies; by what may be rare, where all schedules say the same and so would every resample."""
    if len(set(gains)) > 1:
        return bootstrap(gains, confidence=confidence, resamples=resamples, seed=seed)
    always, rare = gains[0], upper_bound(0, len(gains), (1 + confidence) / 2)
    reach = rare * (1 + abs(always))  # a schedule that says otherwise may say the opposite
    return Interval(max(-1.0, always - reach), min(1.0, always + reach))
