from __future__ import annotations

import pytest
from scipy import stats
from statsmodels.stats.proportion import proportion_confint

from squall.stats import at_least, clopper_pearson, lower_bound, upper_bound, wilson

SIZES = (1, 2, 3, 5, 20, 59, 100, 500, 10_000, 100_000)
CONFIDENCES = (0.5, 0.9, 0.95, 0.99, 0.9999)


def some(runs):
    return sorted({0, 1, runs // 10, runs // 2, round(0.95 * runs), runs - 1, runs})


@pytest.mark.parametrize("runs", SIZES)
def test_exact_intervals_agree_with_scipy_and_statsmodels(runs):
    for passed in some(runs):
        for confidence in CONFIDENCES:
            found = clopper_pearson(passed, runs, confidence)
            scipys = stats.binomtest(passed, runs).proportion_ci(confidence, "exact")
            assert found == pytest.approx((scipys.low, scipys.high), abs=1e-9)
            theirs = proportion_confint(passed, runs, 1 - confidence, "beta")
            assert found == pytest.approx(theirs, abs=1e-9)


@pytest.mark.parametrize("runs", SIZES)
def test_wilsons_intervals_agree_with_scipy_and_statsmodels(runs):
    for passed in some(runs):
        for confidence in CONFIDENCES:
            found = wilson(passed, runs, confidence)
            scipys = stats.binomtest(passed, runs).proportion_ci(confidence, "wilson")
            assert found == pytest.approx((scipys.low, scipys.high), abs=1e-9)
            assert found == pytest.approx(proportion_confint(passed, runs, 1 - confidence, "wilson"), abs=1e-9)


@pytest.mark.parametrize("runs", SIZES)
def test_one_sided_bounds_agree_with_scipy(runs):
    for passed in some(runs):
        for confidence in CONFIDENCES:
            above = stats.binomtest(passed, runs, alternative="greater").proportion_ci(confidence, "exact")
            below = stats.binomtest(passed, runs, alternative="less").proportion_ci(confidence, "exact")
            assert lower_bound(passed, runs, confidence) == pytest.approx(above.low, abs=1e-9)
            assert upper_bound(passed, runs, confidence) == pytest.approx(below.high, abs=1e-9)


def test_a_small_bound_is_right_to_nine_digits_of_its_own():
    assert lower_bound(1, 100_000) == pytest.approx(stats.beta.ppf(0.05, 1, 100_000), rel=1e-9)
    assert lower_bound(2, 100_000) == pytest.approx(stats.beta.ppf(0.05, 2, 99_999), rel=1e-9)


def test_without_runs_nothing_is_known():
    assert clopper_pearson(0, 0) == (0, 1)


def test_nothing_passed_and_everything_passed_reach_the_ends():
    assert clopper_pearson(0, 7).low == 0
    assert clopper_pearson(7, 7).high == 1


@pytest.mark.parametrize("find", [clopper_pearson, lower_bound, upper_bound])
def test_impossible_counts_and_confidences_are_refused(find):
    with pytest.raises(ValueError, match="3 of 2 runs cannot have passed"):
        find(3, 2)
    with pytest.raises(ValueError, match="between 0 and 1"):
        find(1, 2, 95)


def coverage(intervals, rate):
    """The probability that the interval of as many passes as come about holds the true rate, over all counts."""
    runs = len(intervals) - 1
    tails = [at_least(passed, runs, rate) for passed in range(runs + 2)]
    return sum(tails[k] - tails[k + 1] for k, (low, high) in enumerate(intervals) if low <= rate <= high)


@pytest.mark.parametrize(
    ("interval", "mean", "least", "least_of_all"),
    [(wilson, 0.955, 0.852, 0.837), (clopper_pearson, 0.984, 0.961, 0.961)],
)
def test_how_often_the_interval_of_20_runs_holds_the_true_rate(interval, mean, least, least_of_all):
    intervals = [interval(passed, 20) for passed in range(21)]
    covered = [coverage(intervals, rate / 1000) for rate in range(800, 996)]
    assert sum(covered) / len(covered) == pytest.approx(mean, abs=6e-4)
    assert min(covered) == pytest.approx(least, abs=5e-4)
    beside = [bound + way for low, high in intervals for bound in (low, high) for way in (-1e-12, 1e-12)]
    worst = min(coverage(intervals, rate) for rate in beside if 0.8 <= rate <= 0.995)  # between them nothing jumps
    assert worst == pytest.approx(least_of_all, abs=5e-4)
