"""How often a model has been asked: what is told apart, and what is forgotten again."""

from __future__ import annotations

from itertools import count

import pytest

from squall.call import BadRequest
from squall.interpose import counters
from squall.interpose.counters import Counter, Counters, Lane


def lane(scope: str) -> Lane:
    return Lane(scope, "chat", "m")


@pytest.fixture
def few(monkeypatch):
    """Counters with room for eight different requests in all, of which six stay where room was made."""
    monkeypatch.setattr(counters, "MOST_IN_ALL", 8)
    monkeypatch.setattr(counters, "LEFT", 6)
    return Counters(lambda _lane: None)


def fill(counter: Counter, *digests: str) -> list[int]:
    """Ask each; which of its equals each request is."""
    numbers = count(1)
    return [counter.tried(digest, 0, lambda: next(numbers))[0].nth for digest in digests]


def test_equal_requests_are_told_apart_until_other_counters_need_the_room(few):
    fill(few.of(lane("old"), 0.0), "a", "b")
    fill(few.of(lane("new"), 1.0), "a", "b", "c", "d", "e", "f")
    assert fill(few.of(lane("new"), 2.0), "a") == [2]
    assert fill(few.of(lane("old"), 3.0), "a") == [1]


def test_what_is_in_use_is_not_forgotten_where_there_is_room_for_it(few):
    fill(few.of(lane("old"), 0.0), "a")
    fill(few.of(lane("new"), 1.0), "a", "b")
    assert fill(few.of(lane("new"), 2.0), "a") == [2]
    assert fill(few.of(lane("old"), 3.0), "a") == [2]


def test_how_many_requests_there_were_is_known_of_a_counter_that_made_room(few):
    old = few.of(lane("old"), 0.0)
    old.requests = 5
    fill(old, "a", "b")
    fill(few.of(lane("new"), 1.0), "a", "b", "c", "d", "e", "f")
    few.of(lane("new"), 2.0)
    assert few.of(lane("old"), 3.0).requests == 5


def test_released_and_idle_counters_leave_their_room_to_others(few):
    for scope in ("one", "two", "three"):
        fill(few.of(lane(scope), 0.0), "a", "b", "c", "d")
        assert few.release(scope, 0.0) == 1
    kept = few.of(lane("kept"), 0.0)
    fill(kept, "a", "b", "c")
    few.of(lane("other"), counters.IDLE + 1)
    assert fill(few.of(lane("kept"), counters.IDLE + 1), "a", "b", "c") == [1, 1, 1]
    few.of(lane("other"), counters.IDLE + 1)
    assert fill(few.of(lane("kept"), counters.IDLE + 1), "a", "b", "c") == [2, 2, 2]


def test_the_latest_different_requests_of_one_counter_are_told_apart(monkeypatch):
    monkeypatch.setattr(counters, "MOST_EQUAL", 2)
    counter = Counters(lambda _lane: None).of(lane(""), 0.0)
    assert fill(counter, "a", "b", "a", "c", "a", "b") == [1, 1, 2, 1, 3, 1]


def test_a_new_scope_has_to_wait_where_very_many_are_in_use(monkeypatch):
    monkeypatch.setattr(counters, "MOST", 2)
    forgotten: list[Lane] = []
    some = Counters(forgotten.append)
    some.of(lane("a"), 0.0)
    some.of(lane("b"), 1800.0)
    with pytest.raises(BadRequest, match="scope 'c' can have none"):
        some.of(lane("c"), 1800.0)
    some.of(lane("b"), 1801.0)
    some.of(lane("c"), counters.IDLE + 1)
    assert forgotten == [lane("a")]
    assert len(some) == 2
