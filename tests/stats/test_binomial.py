from __future__ import annotations

from math import comb

import pytest
from scipy import special, stats

from squall.stats.binomial import at_least, beta_quantile, incomplete_beta

SIZES = (1, 2, 3, 10, 59, 1000, 100_000)
RATES = (1e-6, 0.01, 0.3, 0.5, 0.8, 0.95, 0.999, 1 - 1e-9)


@pytest.mark.parametrize("runs", SIZES)
def test_tails_agree_with_scipy(runs):
    for passed in {0, 1, runs // 3, runs // 2, round(0.95 * runs), runs - 1, runs}:
        for rate in RATES:
            assert at_least(passed, runs, rate) == pytest.approx(stats.binom.sf(passed - 1, runs, rate), abs=1e-9)


def test_a_tail_is_the_sum_of_its_terms():
    terms = [comb(20, passed) * 0.9**passed * 0.1 ** (20 - passed) for passed in range(21)]
    for passed in range(21):
        assert at_least(passed, 20, 0.9) == pytest.approx(sum(terms[passed:]), rel=1e-12)


def test_small_tails_keep_their_digits():
    assert at_least(59, 59, 0.1) == pytest.approx(0.1**59, rel=1e-12)
    assert at_least(990, 1000, 0.9) == pytest.approx(stats.binom.sf(989, 1000, 0.9), rel=1e-9)


def test_more_passes_than_runs_are_impossible_and_none_are_certain():
    assert [at_least(0, 5, 0.0), at_least(6, 5, 1.0), at_least(5, 5, 1.0), at_least(1, 5, 0.0)] == [1, 0, 1, 0]


def test_between_whole_counts_the_tail_goes_on_smoothly():
    tails = [at_least(passed / 10, 20, 0.8) for passed in range(100, 200)]
    assert tails == sorted(tails, reverse=True)
    for passed in (0.5, 7.25, 19.9):
        assert at_least(passed, 20, 0.8) == pytest.approx(special.betainc(passed, 21 - passed, 0.8), abs=1e-12)


@pytest.mark.parametrize("a", [1, 2, 7, 300, 99_999])
@pytest.mark.parametrize("b", [1, 2, 7, 300, 99_999])
def test_quantiles_agree_with_scipy_and_lead_back(a, b):
    for tail in (1e-9, 0.025, 0.05, 0.5, 0.9, 0.999999):
        x = beta_quantile(a, b, tail)
        assert x == pytest.approx(special.betaincinv(a, b, tail), rel=1e-9)
        assert incomplete_beta(a, b, x) == pytest.approx(tail, rel=1e-8)
