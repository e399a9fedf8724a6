"""The runs of the suites."""

from __future__ import annotations

from tests.conformance.runs import begin, payments, store

__all__ = ["begin", "payments", "store"]
