"""The weather of the built-in models beside a run's own plan.

It is no part of that plan, so that no run is *not fired* for its sake: its rules have ids that no plan reaches.
"""

from __future__ import annotations

from functools import cache

from squall.call import MODEL_TARGETS
from squall.faults import Inline, Plan, parse_plan
from squall.models.builtin import FAULTS

FIRST = 1_000_000


def with_builtin(plan: Plan) -> Plan:
    """A run's plan with the rules of the built-in models after its own."""
    return plan.beside(_builtin())


@cache
def _builtin() -> Plan:
    """Parsed when the first run of a process asks a model."""
    return parse_plan(Inline(FAULTS, "built in"), tuple(MODEL_TARGETS.values())).numbered_from(FIRST)
