from __future__ import annotations

from itertools import product

import pytest

from squall.stats import at_least, gate, lower_bound, upper_bound


def test_enough_passes_pass_and_the_lower_bound_is_the_reason():
    found = gate(59, 59, 0.95)
    assert (found.verdict, found.more_if_all_pass, found.more_at_this_rate) == ("pass", None, None)
    assert found.low == lower_bound(59, 59) >= 0.95
    assert found.reason == "the true rate is at least 95.04 %"


def test_one_run_less_is_inconclusive_and_one_more_would_decide():
    found = gate(58, 58, 0.95)
    assert (found.verdict, found.more_if_all_pass) == ("inconclusive", 1)
    assert found.reason == "it passes with 1 more run if all of them pass"


def test_too_few_passes_fail_and_the_upper_bound_is_the_reason():
    found = gate(10, 20, 0.95)
    assert found.verdict == "fail"
    assert found.high == upper_bound(10, 20) < 0.95
    assert found.reason == "the true rate is at most 69.81 %"


def test_a_rate_that_is_met_by_the_plain_share_alone_is_not_shown():
    assert gate(19, 20, 0.95) == gate(19, 20, 0.95, 0.95)
    assert gate(19, 20, 0.95).verdict == "inconclusive"


def test_how_many_more_runs_decide_is_told_for_both_ways_on():
    assert gate(96, 100, 0.95).reason == (
        "it passes with 81 more runs if all of them pass, with 1,232 at the rate so far"
    )
    assert gate(17, 20, 0.95).reason == (
        "it passes with 133 more runs if all of them pass, and fails with 5 at the rate so far"
    )
    assert gate(19, 20, 0.95).more_at_this_rate is None  # it stays where it is


def test_that_many_more_runs_decide_and_one_fewer_does_not():
    open_ones = 0
    for confidence, rate in product((0.8, 0.95, 0.999), (0.5, 0.9, 0.95, 0.999)):
        for passed, runs in ((0, 0), (1, 1), (20, 20), (19, 20), (190, 195)):
            found = gate(passed, runs, rate, confidence)
            if found.verdict == "inconclusive":
                open_ones += 1
                more = found.more_if_all_pass or 0
                assert gate(passed + more, runs + more, rate, confidence).verdict == "pass"
                assert gate(passed + more - 1, runs + more - 1, rate, confidence).verdict == "inconclusive"
    assert open_ones > 30


@pytest.mark.parametrize(("passed", "runs", "verdict"), [(97, 100, "pass"), (93, 100, "fail")])
def test_as_many_more_runs_at_the_same_rate_decide(passed, runs, verdict):
    found = gate(passed, runs, 0.95)
    times = -(-(runs + found.more_at_this_rate) // runs)
    assert found.verdict == "inconclusive"
    assert gate(times * passed, times * runs, 0.95).verdict == verdict
    assert gate((times - 1) * passed, (times - 1) * runs, 0.95).verdict == "inconclusive"


@pytest.mark.parametrize("rate", [0.8, 0.9, 0.95])
@pytest.mark.parametrize("runs", [20, 59, 150])
def test_a_wrong_verdict_is_as_rare_as_the_confidence_says(rate, runs):
    passing = [passed for passed in range(runs + 1) if gate(passed, runs, rate).verdict == "pass"]
    failing = [passed for passed in range(runs + 1) if gate(passed, runs, rate).verdict == "fail"]
    if passing:
        assert at_least(min(passing), runs, rate) <= 0.05  # an agent that is just not good enough
    assert 1 - at_least(max(failing) + 1, runs, rate) <= 0.05  # one that is just good enough


def test_the_plain_share_of_20_runs_lets_a_worse_agent_through_far_more_often():
    assert at_least(19, 20, 0.9) == pytest.approx(0.39, abs=0.005)
    assert [passed for passed in range(21) if gate(passed, 20, 0.95).verdict == "pass"] == []


def test_a_rate_of_1_can_be_refuted_and_never_shown():
    assert gate(99, 100, 1.0).verdict == "fail"
    found = gate(100, 100, 1.0)
    assert (found.verdict, found.more_if_all_pass, found.more_at_this_rate) == ("inconclusive", None, None)
    assert found.reason == "no number of runs shows 100 %"


def test_a_rate_of_0_is_always_reached():
    assert gate(0, 5, 0.0).verdict == "pass"


def test_a_bound_that_equals_the_rate_reaches_it_whatever_the_floats_say():
    assert gate(1, 1, 0.05).verdict == "pass"
    assert gate(1, 1, 0.1, 0.9).verdict == "pass"
    assert gate(0, 1, 0.5, 0.5).verdict == "inconclusive"  # nor does one that equals it stay below


@pytest.mark.parametrize(("passed", "runs", "rate"), [(3, 2, 0.9), (1, 2, 95)])
def test_what_makes_no_sense_is_refused(passed, runs, rate):
    with pytest.raises(ValueError):
        gate(passed, runs, rate)
