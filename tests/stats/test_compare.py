from __future__ import annotations

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.contingency_tables import mcnemar

from squall.stats import clopper_pearson, compare_paired, mcnemar_exact
from squall.stats.bootstrap import indices


def schedules(both, only_a, only_b, neither):
    a = [True] * both + [True] * only_a + [False] * only_b + [False] * neither
    b = [True] * both + [False] * only_a + [True] * only_b + [False] * neither
    return a, b


def test_the_exact_test_agrees_with_statsmodels_and_scipy():
    for only_a in range(14):
        for only_b in range(14):
            if only_a + only_b:
                theirs = mcnemar([[1, only_a], [only_b, 1]], exact=True).pvalue
                assert mcnemar_exact(only_a, only_b) == pytest.approx(theirs, abs=1e-9)
                scipys = stats.binomtest(only_a, only_a + only_b).pvalue
                assert mcnemar_exact(only_a, only_b) == pytest.approx(scipys, abs=1e-9)


def test_many_schedules_that_differ_make_it_neither_slow_nor_wrong():
    theirs = stats.binomtest(2400, 5000).pvalue
    assert mcnemar_exact(2400, 2600) == pytest.approx(theirs, abs=1e-9)
    assert mcnemar_exact(0, 5000) == 0.0  # smaller than any float


def test_without_a_schedule_that_differs_nothing_speaks_for_either():
    assert mcnemar_exact(0, 0) == 1.0
    with pytest.raises(ValueError, match="fewer than 0"):
        mcnemar_exact(-1, 2)


def test_counts_and_difference():
    found = compare_paired(*schedules(70, 4, 20, 6))
    assert found[:4] == (70, 4, 20, 6)
    assert (found.runs, found.passed_a, found.passed_b) == (100, 74, 90)
    assert found.difference == pytest.approx(0.16)
    assert found.p_value == mcnemar_exact(4, 20)
    assert found.decided


def test_the_interval_resamples_pairs():
    a, b = schedules(70, 4, 20, 6)
    found = compare_paired(a, b, resamples=400, seed=3)
    gains = np.array(b, int) - np.array(a, int)
    means = [gains[indices(100, number, 3)].mean() for number in range(400)]
    assert found.interval == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])), abs=1e-12)
    assert found.interval.low < found.difference < found.interval.high


def test_the_same_schedules_tell_more_than_different_ones():
    a, b = schedules(70, 0, 12, 18)
    width = np.diff(compare_paired(a, b).interval)[0]
    other = compare_paired(a, [b[-at] for at in range(100)]).interval
    assert width < 0.6 * np.diff(other)[0]


def test_the_other_way_round_it_is_the_same():
    a, b = schedules(70, 4, 20, 6)
    there, back = compare_paired(a, b), compare_paired(b, a)
    assert back.difference == -there.difference
    assert back.interval == pytest.approx((-there.interval.high, -there.interval.low))
    assert back.p_value == there.p_value


def test_schedules_that_all_say_the_same_leave_what_is_rare_open():
    reach = clopper_pearson(0, 50).high
    assert compare_paired([True] * 50, [True] * 50).interval == pytest.approx((-reach, reach))
    assert compare_paired([False] * 50, [True] * 50).interval == pytest.approx((1 - 2 * reach, 1))
    assert compare_paired([True], [False]).interval == pytest.approx((-1, 0.95))


@pytest.mark.parametrize(
    ("counts", "said"),
    [
        (
            (70, 4, 20, 6),
            (
                "old passed 74 of 100 schedules, new 90: new is 16.0 points better than old (7.0 to 25.0 points, "
                "at 95 % confidence), which is hardly chance (p = 0.0015)."
            ),
        ),
        (
            (70, 9, 4, 17),
            (
                "old passed 79 of 100 schedules, new 74: old is 5.0 points better than new (-2.0 to 12.0 points, "
                "at 95 % confidence), which is perhaps chance (p = 0.2668)."
            ),
        ),
        (
            (90, 5, 5, 0),
            (
                "old passed 95 of 100 schedules, new 95: neither is better (-6.0 to 6.0 points, at 95 % confidence), "
                "which is perhaps chance (p = 1.0000)."
            ),
        ),
        (
            (95, 0, 0, 5),
            (
                "old passed 95 of 100 schedules, new 95, and none tells them apart: their rates differ by 3.6 points "
                "at most, at 95 % confidence."
            ),
        ),
        (
            (1, 2, 0, 0),
            (
                "old passed 3 of 3 schedules, new 1: old is 66.7 points better than new (0.0 to 100.0 points, "
                "at 95 % confidence), which is perhaps chance (p = 0.5000)."
            ),
        ),
        (
            (0, 0, 30, 0),
            (
                "old passed 0 of 30 schedules, new 30: new is 100.0 points better than old (76.9 to 100.0 points, "
                "at 95 % confidence), which is hardly chance (p < 0.0001)."
            ),
        ),
    ],
)
def test_a_comparison_in_words(counts, said):
    assert compare_paired(*schedules(*counts)).sentence("old", "new") == said


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(ValueError, match="the same schedules, not 2 and 1"):
        compare_paired([True, True], [True])
    with pytest.raises(ValueError, match="nothing to compare"):
        compare_paired([], [])
    with pytest.raises(ValueError, match="confidence"):
        compare_paired([True], [True], confidence=95)
