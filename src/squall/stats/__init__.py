"""Intervals and comparisons for rates of runs: pure functions of counts.

Knows nothing of tests, worlds or traces, and uses the standard library alone.
"""

from __future__ import annotations

from squall.stats.wilson import Interval, wilson

__all__ = ["Interval", "wilson"]
