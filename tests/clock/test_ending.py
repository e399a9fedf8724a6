from __future__ import annotations

import pytest

from squall.clock import VirtualClock, WallClock, ending, real
from squall.errors import LimitReached


@pytest.fixture
def told(monkeypatch):
    told: list[str] = []
    monkeypatch.setattr(real, "tell", told.append)
    return told


@pytest.mark.parametrize("make", [VirtualClock, WallClock])
def test_a_limit_that_is_swallowed_again_and_again_is_told_to_the_person_once(make, told):
    clock = make(limit=0.0)
    for times in range(1, 3 * ending.PATIENCE):
        try:
            clock.sleep(61)
        except:  # noqa: E722 - such agents are the point
            assert len(told) == (times >= ending.PATIENCE)
    assert told[0].startswith("squall: the agent has swallowed the run's limit 1,000 times and goes on: the run has")


def test_a_limit_that_is_heard_is_not_told_to_the_person(told):
    for _ in range(2 * ending.PATIENCE):
        with pytest.raises(LimitReached):
            VirtualClock(limit=0.0).sleep(1)
    assert not told
