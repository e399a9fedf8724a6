"""A run over the world of the conformance table."""

from __future__ import annotations

from tests.conformance.runs import begin, payments, store

__all__ = ["begin", "payments", "store"]
