"""Intervals, gates and comparisons for rates of runs: pure functions of counts and samples.

Knows nothing of tests, worlds or traces, and uses the standard library alone.
"""

from __future__ import annotations

from squall.stats.binomial import at_least
from squall.stats.bootstrap import bootstrap, mean
from squall.stats.clopper_pearson import clopper_pearson, lower_bound, upper_bound
from squall.stats.compare import Comparison, compare_paired, mcnemar_exact
from squall.stats.gate import GateVerdict, gate
from squall.stats.interval import Interval
from squall.stats.pass_k import Estimate, over_tasks, pass_at_k, pass_hat_k
from squall.stats.quantile import median, p95, quantile
from squall.stats.sample_size import SampleSize, sample_size
from squall.stats.wilson import wilson

__all__ = [
    "Comparison",
    "Estimate",
    "GateVerdict",
    "Interval",
    "SampleSize",
    "at_least",
    "bootstrap",
    "clopper_pearson",
    "compare_paired",
    "gate",
    "lower_bound",
    "mcnemar_exact",
    "mean",
    "median",
    "over_tasks",
    "p95",
    "pass_at_k",
    "pass_hat_k",
    "quantile",
    "sample_size",
    "upper_bound",
    "wilson",
]
