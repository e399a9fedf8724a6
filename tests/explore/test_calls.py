"""Which call of its target a point is at, for people."""

from __future__ import annotations

from squall.decide import Point
from squall.explore.calls import calls_of, place_in_words


def point(digest, nth=1, attempt=1, target="model.chat", wire="model"):
    return Point(wire, "", target, digest, nth, attempt)


def test_of_a_target_that_is_called_once_no_number_is_told():
    calls = calls_of([point("a"), point("a", attempt=2), point("b", target="x.y", wire="tool")])
    assert calls == {}
    assert place_in_words(point("a"), calls) == "model.chat"
    assert place_in_words(point("a", attempt=2), calls) == "model.chat, attempt 2"


def test_calls_are_counted_by_target_and_tries_belong_to_their_call():
    calls = calls_of([point("a"), point("b"), point("b", attempt=2), point("b", nth=2), point("c", target="other")])
    assert [calls[each] for each in (point("a"), point("b"), point("b", attempt=2), point("b", nth=2))] == [1, 2, 2, 3]
    assert place_in_words(point("b", attempt=2), calls) == "the 2nd call of model.chat, attempt 2"
    assert point("c", target="other") not in calls


def test_of_calls_that_only_another_run_makes_those_after_the_first_are_told():
    calls = calls_of([point("a")], {point("a"): 1, point("b"): 2, point("c", target="other"): 1})
    assert calls == {point("b"): 2}


def test_what_is_no_call_is_not_counted():
    event = point("a", target="orders.placed", wire="event")
    assert calls_of([event, msg := point("b", target="orders.placed", wire="event")], {msg: 2}) == {}


def test_without_numbers_equal_calls_are_told_apart():
    assert place_in_words(point("a", nth=2)) == "model.chat #2"
