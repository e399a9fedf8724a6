from __future__ import annotations

import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from squall.stats import bootstrap, mean, median
from squall.stats.bootstrap import indices

VALUES = [stats.beta.ppf((place + 0.5) / 200, 1.2, 0.6) for place in range(200)]


def test_the_interval_is_the_percentiles_of_the_resamples_statistic():
    low, high = bootstrap(VALUES, resamples=300, seed=4)
    means = [np.mean([VALUES[at] for at in indices(200, number, 4)]) for number in range(300)]
    assert (low, high) == pytest.approx(tuple(np.quantile(means, [0.025, 0.975])), abs=1e-12)


def test_it_comes_near_to_what_scipys_bootstrap_finds():
    theirs = stats.bootstrap(
        (VALUES,), np.mean, n_resamples=4000, method="percentile", rng=np.random.default_rng(1)
    ).confidence_interval
    assert bootstrap(VALUES, resamples=4000) == pytest.approx((theirs.low, theirs.high), abs=0.004)


def test_the_same_seed_gives_the_same_interval_and_another_seed_another():
    assert bootstrap(VALUES, seed=1) == bootstrap(VALUES, seed=1) != bootstrap(VALUES, seed=2)


def test_it_is_the_same_in_another_process_with_another_hash_seed():
    code = "from squall.stats import bootstrap; print(tuple(bootstrap([0.0, 0.25, 1.0, 1.0], resamples=100)))"
    told = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": "77"}
    ).stdout
    assert told.strip() == str(tuple(bootstrap([0.0, 0.25, 1.0, 1.0], resamples=100)))


def test_every_place_is_drawn_about_as_often_as_every_other():
    drawn = Counter(at for number in range(500) for at in indices(20, number))
    assert set(drawn) == set(range(20))
    assert stats.chisquare(list(drawn.values())).pvalue > 0.001


def test_other_statistics_than_the_mean_can_be_resampled():
    low, high = bootstrap(VALUES, median, resamples=200)
    assert low < median(VALUES) < high


def test_values_that_are_all_alike_have_no_width():
    assert bootstrap([0.5] * 9, resamples=50) == (0.5, 0.5)


def test_the_mean_does_not_depend_on_the_order_of_its_values():
    values = [1e16, 1.0, -1e16, 1.0]
    assert mean(values) == mean(sorted(values)) == 0.5


def test_nothing_cannot_be_resampled():
    with pytest.raises(ValueError, match="0 values"):
        bootstrap([])
    with pytest.raises(ValueError, match="0 resamples"):
        bootstrap([1.0], resamples=0)
    with pytest.raises(ValueError, match="confidence"):
        bootstrap([1.0], confidence=95)
