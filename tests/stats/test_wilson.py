from __future__ import annotations

import pytest

from squall.stats import wilson


@pytest.mark.parametrize(
    ("passed", "runs", "low", "high"),
    [  # Newcombe, Statistics in Medicine 17 (1998), table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_the_published_examples_come_out_to_four_digits(passed, runs, low, high):
    assert wilson(passed, runs) == pytest.approx((low, high), abs=5e-5)


def test_the_interval_of_failures_mirrors_that_of_passes():
    low, high = wilson(3, 20)
    assert wilson(17, 20) == pytest.approx((1 - high, 1 - low))


def test_it_holds_the_observed_rate_and_never_leaves_zero_to_one():
    for runs in range(1, 40):
        for passed in range(runs + 1):
            low, high = wilson(passed, runs)
            assert 0 <= low <= passed / runs <= high <= 1


def test_more_confidence_is_a_wider_interval():
    assert wilson(10, 20, 0.99).low < wilson(10, 20, 0.9).low < wilson(10, 20, 0.9).high < wilson(10, 20, 0.99).high


def test_without_runs_nothing_is_known():
    assert wilson(0, 0) == (0, 1)


@pytest.mark.parametrize(("passed", "runs"), [(3, 2), (-1, 2)])
def test_impossible_counts_are_refused(passed, runs):
    with pytest.raises(ValueError, match=f"{passed} of {runs}"):
        wilson(passed, runs)


def test_a_confidence_in_percent_is_refused():
    with pytest.raises(ValueError, match="between 0 and 1, not 95"):
        wilson(1, 2, 95)


def test_the_usual_confidence_is_the_one_that_is_computed():
    for passed in range(0, 21, 5):
        assert wilson(passed, 20) == pytest.approx(wilson(passed, 20, 0.95 + 1e-12), abs=1e-9)
