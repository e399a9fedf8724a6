"""How many runs a gate needs: to be passed at all, and to be passed (or failed) with a given chance.

The chance is exact, from the binomial distribution. Knows gates as `gate` judges them.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from squall.stats.binomial import at_least
from squall.stats.gate import refutes, shows
from squall.stats.interval import USUAL, check_confidence
from squall.stats.search import FAR, first

POWER = 0.8


class SampleSize(NamedTuple):
    """`runs` with which an agent of `true_rate` passes (or fails) the gate with a chance of `power` or more.

    `failures` is how many runs may fail so that the gate passes; where `verdict` is "fail", how many must. `chance` is
    what the power really is, `flawless` the number of runs that pass the gate if none of them fails.
    """

    rate: float
    confidence: float
    power: float
    true_rate: float
    verdict: Literal["pass", "fail"]
    runs: int
    failures: int
    chance: float
    flawless: int


def sample_size(
    rate: float, power: float = POWER, confidence: float = USUAL, true_rate: float | None = None
) -> SampleSize:
    """The runs that `gate(…, rate, confidence)` needs for an agent that passes `true_rate` of its runs.

    Without `true_rate` the agent is taken to fail half as often as the rate allows. One that is worse than required
    shall be failed. ValueError where no number of runs would do.
    """
    check_confidence(confidence)
    if not 0 < rate < 1:
        raise ValueError(f"a rate that runs can show lies between 0 and 1, not {rate}")
    if not 0 < power < 1:
        raise ValueError(f"a power lies between 0 and 1, not {power}")
    true_rate = (1 + rate) / 2 if true_rate is None else true_rate
    if not 0 <= true_rate <= 1:
        raise ValueError(f"a true rate lies between 0 and 1, not {true_rate}")
    if true_rate == rate:
        raise ValueError(f"no number of runs tells a true rate of {true_rate} from the required {rate}")
    find = _to_pass if true_rate > rate else _to_fail
    found = find(rate, power, confidence, true_rate)
    if found is None:
        raise ValueError(f"a true rate of {true_rate} is too near to the required {rate} to be told from it")
    runs, failures, chance = found
    verdict: Literal["pass", "fail"] = "pass" if true_rate > rate else "fail"
    flawless = _runs_for(0, rate, confidence)
    return SampleSize(rate, confidence, power, true_rate, verdict, runs, failures, chance, flawless)


def _runs_for(failures: int, rate: float, confidence: float) -> int:
    """The fewest runs that still pass the gate with so many failures."""
    return first(lambda runs: shows(runs - failures, runs, rate, confidence), failures + 1) or FAR


def _to_pass(rate: float, power: float, confidence: float, true_rate: float) -> tuple[int, int, float] | None:
    """Runs, the failures among them that are allowed, and the chance.

    With one more run and no further failure allowed the chance only sinks: so only the fewest runs for each number of
    failures come into question.
    """

    def chance(failures: int) -> float:
        runs = _runs_for(failures, rate, confidence)
        return at_least(runs - failures, runs, true_rate)

    failures = first(lambda failures: chance(failures) >= power, end=FAR // 100)
    return None if failures is None else (_runs_for(failures, rate, confidence), failures, chance(failures))


def _to_fail(rate: float, power: float, confidence: float, true_rate: float) -> tuple[int, int, float] | None:
    """Runs, the failures among them that are needed, and the chance. So many failures show it up to `most` runs."""

    def most(failures: int) -> int:
        beyond = first(lambda runs: not refutes(runs - failures, runs, rate, confidence), failures)
        return (beyond or FAR) - 1

    def enough(failures: int, runs: int) -> bool:
        return at_least(failures, runs, 1 - true_rate) >= power

    failures = first(lambda failures: enough(failures, most(failures)), 1, end=FAR // 100)
    if failures is None:
        return None
    runs = first(lambda runs: enough(failures, runs), failures) or FAR
    return runs, failures, at_least(failures, runs, 1 - true_rate)
