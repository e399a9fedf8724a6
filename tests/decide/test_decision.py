from __future__ import annotations

import pytest

from squall.decide import Calm, Decision, Point

POINT = Point("tool", "", "orders.get_order", "0" * 16, 1)


def test_a_decision_is_none_unless_it_says_what_happens():
    decision = Decision(POINT)
    assert (decision.latency, decision.rule, decision.drawn, decision.retry_after) == (0.0, None, None, None)


def test_a_decision_is_a_record_that_nobody_changes():
    with pytest.raises(AttributeError, match="immutable"):
        Decision(POINT).latency = 1.0  # type: ignore[misc]  # it is what is tested


def test_under_calm_nothing_ever_happens(agent):
    calls = agent(Calm()).calls(50, at=3.0)
    assert calls == [Decision(decision.point) for decision in calls]
    assert [decision.point.nth for decision in calls] == list(range(1, 51))
