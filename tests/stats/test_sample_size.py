from __future__ import annotations

import pytest

from squall.stats import at_least, gate, sample_size


@pytest.mark.parametrize(("rate", "runs"), [(0.9, 29), (0.95, 59), (0.99, 299)])
def test_the_runs_that_must_all_pass(rate, runs):
    assert sample_size(rate).flawless == runs
    assert gate(runs, runs, rate).verdict == "pass"
    assert gate(runs - 1, runs - 1, rate).verdict == "inconclusive"


def chance_of(verdict, runs, rate, confidence, true_rate):
    """By judging every count that may come about."""
    tails = [at_least(passed, runs, true_rate) for passed in range(runs + 2)]
    counts = [passed for passed in range(runs + 1) if gate(passed, runs, rate, confidence).verdict == verdict]
    return sum(tails[passed] - tails[passed + 1] for passed in counts)


@pytest.mark.parametrize(
    ("rate", "power", "confidence", "true_rate"),
    [
        (0.8, 0.8, 0.95, 0.95),
        (0.8, 0.8, 0.95, 0.6),
        (0.9, 0.9, 0.9, 0.99),
        (0.9, 0.5, 0.99, 0.97),
        (0.5, 0.8, 0.95, 0.7),
        (0.95, 0.8, 0.95, 0.85),
        (0.5, 0.6, 0.5, 0.05),
    ],
)
def test_no_smaller_number_of_runs_has_the_power(rate, power, confidence, true_rate):
    found = sample_size(rate, power, confidence, true_rate)
    assert found.verdict == ("pass" if true_rate > rate else "fail")
    chances = [chance_of(found.verdict, runs, rate, confidence, true_rate) for runs in range(1, found.runs + 1)]
    assert chances[-1] == pytest.approx(found.chance, abs=1e-9)
    assert chances[-1] >= power
    assert max(chances[:-1]) < power


def test_so_many_failures_are_allowed_and_not_one_more():
    found = sample_size(0.95, 0.8, true_rate=0.98)
    assert (found.runs, found.failures) == (234, 6)
    assert gate(found.runs - 6, found.runs, 0.95).verdict == "pass"
    assert gate(found.runs - 7, found.runs, 0.95).verdict == "inconclusive"


def test_so_many_failures_are_needed_to_fail_an_agent_that_is_worse():
    found = sample_size(0.95, 0.8, true_rate=0.9)
    assert (found.verdict, found.runs, found.failures) == ("fail", 169, 14)
    assert gate(found.runs - 14, found.runs, 0.95).verdict == "fail"
    assert gate(found.runs - 13, found.runs, 0.95).verdict == "inconclusive"


def test_without_a_true_rate_the_agent_fails_half_as_often_as_allowed():
    assert sample_size(0.95) == sample_size(0.95, true_rate=0.975)
    assert (sample_size(0.95).runs, sample_size(0.95).failures) == (361, 11)


def test_an_agent_that_never_fails_needs_the_flawless_runs_alone():
    found = sample_size(0.95, true_rate=1.0)
    assert (found.runs, found.failures, found.chance) == (59, 0, 1.0)


def test_rates_that_are_near_to_each_other_need_many_runs_and_are_found_at_once():
    assert 250_000 < sample_size(0.95, true_rate=0.951).runs < 350_000


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"rate": 1.0}, "a rate that runs can show lies between 0 and 1, not 1.0"),
        ({"rate": 95}, "a rate that runs can show lies between 0 and 1, not 95"),
        ({"rate": 0.9, "power": 1}, "a power lies between 0 and 1, not 1"),
        ({"rate": 0.9, "confidence": 95}, "a confidence lies between 0 and 1, not 95"),
        ({"rate": 0.9, "true_rate": 1.5}, "a true rate lies between 0 and 1, not 1.5"),
        ({"rate": 0.9, "true_rate": 0.9}, "no number of runs tells a true rate of 0.9 from the required 0.9"),
        ({"rate": 0.9, "true_rate": 0.9 + 1e-9}, "is too near to the required 0.9 to be told from it"),
        ({"rate": 0.9, "true_rate": 0.9 - 1e-9}, "is too near to the required 0.9 to be told from it"),
    ],
)
def test_what_no_number_of_runs_can_do_is_refused(asked, said):
    with pytest.raises(ValueError, match=said):
        sample_size(**asked)
