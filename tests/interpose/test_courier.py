"""When an event is delivered, `interpose/courier.py`."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from squall.call import Target
from squall.clock import VirtualClock
from squall.faults import Inline, parse_plan
from squall.interpose import Interposer, scope
from squall.interpose.courier import Courier
from squall.runs.ending import Nowhere
from squall.trace import Recorder, Trace

SHIPPED = Target("orders.order_shipped", "", wire="event", access="write")
PLACED = Target("orders.order_placed", "", wire="event", access="write")


class Emitted(NamedTuple):
    name: str
    data: Any


def shipped(**data):
    return Emitted("order_shipped", data)


@pytest.fixture
def begin():
    """`begin(rules…)`: a courier, and the interposer that it asks."""

    def make(*rules, seed=0, run_index=0):
        clock = VirtualClock()
        plan = parse_plan(Inline([{"target": "orders.order_shipped", **rule} for rule in rules]), [SHIPPED, PLACED])
        recorder = Recorder("run", clock.elapsed)
        interposer = Interposer(Nowhere(), {}, clock, plan=plan, recorder=recorder, seed=seed, run_index=run_index)
        courier = Courier(interposer, {"order_shipped": SHIPPED, "order_placed": PLACED})
        return (lambda event: list(courier(event))), interposer

    return make


def test_without_a_rule_an_event_comes_at_once_and_once(begin):
    deliver, interposer = begin()
    assert deliver(shipped(id="1")) == [0.0]
    assert interposer.recorder.lines == []


@pytest.mark.parametrize(
    ("rule", "delays"),
    [
        ({"kind": "duplicate"}, [0.0, 0.0]),
        ({"kind": "duplicate", "after": "30s"}, [0.0, 30.0]),
        ({"kind": "delay", "seconds": 90}, [90.0]),
        ({"kind": "lost"}, []),
    ],
)
def test_a_rule_that_counts_is_about_events_as_about_calls(begin, rule, delays):
    deliver, interposer = begin({**rule, "nth": 2})
    assert [deliver(shipped(id=key)) for key in "123"] == [[0.0], delays, [0.0]]
    assert interposer.fired[0] == 1
    (fault,) = Trace(interposer.recorder.lines).faults()
    assert (fault.call, fault.fault, fault.target, fault.fired) == (0, rule["kind"], "orders.order_shipped", True)


def test_other_events_are_left_alone_and_not_counted(begin):
    deliver, _ = begin({"kind": "lost", "nth": 2})
    assert deliver(Emitted("order_placed", {})) == [0.0]
    assert deliver(Emitted("nobody_knows", {})) == [0.0]
    assert [deliver(shipped()), deliver(shipped())] == [[0.0], []]


def test_conditions_look_at_what_the_event_says(begin):
    deliver, _ = begin({"kind": "lost", "first": 1, "when": {"id": "2"}})
    assert [deliver(shipped(id=key)) for key in "122"] == [[0.0], [], [0.0]]


@pytest.mark.parametrize("data", [None, 5, "text", [1, {"a": 2}]])
def test_what_an_event_says_may_be_anything(begin, data):
    deliver, _ = begin({"kind": "lost", "nth": 1})
    assert [deliver(Emitted("order_shipped", data)) for _ in range(2)] == [[], [0.0]]


def test_events_are_counted_by_scope(begin):
    deliver, _ = begin({"kind": "lost", "first": 1})
    with scope("a"):
        assert [deliver(shipped()), deliver(shipped())] == [[], [0.0]]
    assert deliver(shipped()) == []


def weather(deliver, keys):
    return {key: deliver(shipped(id=str(key))) for key in keys}


def test_a_drawn_fault_meets_the_same_event_in_every_run_whatever_came_before(begin):
    rule = {"kind": "lost", "probability": 0.5}
    first = weather(begin(rule)[0], range(40))
    assert {len(delays) for delays in first.values()} == {0, 1}
    assert weather(begin(rule)[0], range(40)) == first
    assert weather(begin(rule)[0], reversed(range(40))) == first
    assert weather(begin(rule)[0], range(0, 40, 3)).items() <= first.items()


def test_another_run_has_other_weather(begin):
    rule = {"kind": "lost", "probability": 0.5}
    first = weather(begin(rule)[0], range(40))
    assert weather(begin(rule, run_index=1)[0], range(40)) != first
    assert weather(begin(rule, seed=1)[0], range(40)) != first
