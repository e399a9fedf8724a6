from __future__ import annotations

import statistics

import numpy as np
import pytest

from squall.stats import median, p95, quantile

SAMPLES = [[3.0], [1, 2], [5, 1, 9, 2], [0.1 * value**2 for value in range(37)], [7, 7, 7, 1, 2]]


@pytest.mark.parametrize("values", SAMPLES)
def test_quantiles_agree_with_numpy_and_with_statistics(values):
    for share in (0, 0.05, 0.25, 0.5, 0.9, 0.95, 0.999, 1):
        assert quantile(values, share) == pytest.approx(float(np.quantile(values, share)), abs=1e-12)
    assert median(values) == pytest.approx(statistics.median(values))
    if len(values) > 1:
        twentieths = statistics.quantiles(values, n=20, method="inclusive")
        assert p95(values) == pytest.approx(twentieths[-1])


def test_the_order_of_the_values_does_not_matter():
    assert p95([3, 1, 2]) == p95(iter([1, 2, 3]))


def test_no_values_and_shares_in_percent_are_refused():
    with pytest.raises(ValueError, match="no values"):
        median([])
    with pytest.raises(ValueError, match="between 0 and 1, not 95"):
        quantile([1], 95)
