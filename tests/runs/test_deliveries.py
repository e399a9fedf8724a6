"""Events of a run: faults decide when they are delivered, and the trace holds each delivery."""

from __future__ import annotations

import json

import pytest

from squall.errors import UsageError
from squall.runs.environment import Environment
from squall.runs.plans import targets_of
from squall.trace.kinds import Delivery
from squall.worlds import World

WORLD = """\
services:
  orders:
    records:
      order: { id: str, status: "enum[placed, shipped]" }
    seed: { order: [{ id: "7", status: placed }] }
    operations:
      place: { kind: create, record: order, emits: order_placed }
      change: { kind: update, record: order, emits: order_changed }
  mail:
    records: { letter: { about: str } }
    operations: { list_letters: { kind: list, record: letter } }
    listens: { order_placed: post.write }
"""
RULES = """
def write(world, clock, event):
    world.letters.insert(about=event.data["id"])
"""


@pytest.fixture
def post(tmp_path):
    (tmp_path / "post.py").write_text(RULES, encoding="utf-8")
    path = tmp_path / "shop.yaml"
    path.write_text(WORLD, encoding="utf-8")
    return path


@pytest.fixture
def begin(post):
    def make(*rules, **options):
        faults = [{"target": "orders.order_placed", **rule} for rule in rules]
        return Environment(post, faults=faults or None, **options)

    return make


def place(run, *keys):
    for key in keys:
        run.tools.place(id=key, status="placed")


def deliveries(run):
    return [(event.id, envelope.t, event.late) for envelope, event in run.trace if isinstance(event, Delivery)]


def test_in_fair_weather_each_event_is_delivered_once_and_is_in_the_trace(begin):
    with begin() as run:
        place(run, "1")
        run.world.orders.update("7", status="shipped")
    (event,) = [event for _, event in run.trace if isinstance(event, Delivery)]
    assert event == Delivery(event="order_placed", id="evt_1", target="orders.order_placed", emitted=0.0, call=1)
    assert [letter.about for letter in run.world.letters] == ["1"]


@pytest.mark.parametrize(
    ("rule", "letters", "delivered"),
    [
        ({"kind": "duplicate"}, ["1", "1", "2"], [("evt_1", 0, False), ("evt_1", 0, False), ("evt_2", 0, False)]),
        (
            {"kind": "duplicate", "after": 30},
            ["1", "2", "1"],
            [("evt_1", 0, False), ("evt_2", 0, False), ("evt_1", 30, True)],
        ),
        ({"kind": "delay", "seconds": "5m"}, ["2", "1"], [("evt_2", 0, False), ("evt_1", 300, True)]),
        ({"kind": "lost"}, ["2"], [("evt_2", 0, False)]),
    ],
)
def test_a_fault_of_an_event_reaches_its_listeners(begin, rule, letters, delivered):
    with begin({**rule, "nth": 1}) as run:
        place(run, "1", "2")
    assert [letter.about for letter in run.world.letters] == letters
    assert deliveries(run) == delivered
    assert [event.id for event in run.world.events()] == [key for key, _, _ in delivered]
    assert (run.result.status, run.result.fired) == ("passed", 1)
    assert [fault.fault for fault in run.trace.faults()] == [rule["kind"]]


def test_a_rule_for_an_event_that_never_came_has_not_fired(begin):
    with begin({"kind": "lost", "nth": 2}) as run:
        place(run, "1")
    assert run.result.status == "not_fired"


def test_without_a_trace_events_are_faulted_all_the_same(begin):
    with begin({"kind": "duplicate", "nth": 1}, record=False) as run:
        place(run, "1")
    assert run.world.letters.count() == 2
    assert run.result.status == "passed"


def test_the_same_run_is_the_same_bytes_and_one_call_more_shifts_nothing(begin):
    def weather(*keys):
        with begin({"kind": "lost", "probability": 0.3}, {"kind": "delay", "probability": 0.3}, name="run") as run:
            place(run, *keys)
        return run, {letter.about: effect.t for letter, effect in zip(run.world.letters, own(run), strict=True)}

    def own(run):
        return [effect for effect in run.world.ledger if effect.table == "mail.letter"]

    keys = [str(number) for number in range(100, 130)]
    (one, first), (other, again) = weather(*keys), weather(*keys)
    assert one.trace.lines == other.trace.lines
    assert set(again.values()) == {0.0, 60.0}
    assert 0 < len(again) < len(keys)
    _, more = weather("99", *keys)
    assert {key: more.get(key) for key in keys} == {key: first.get(key) for key in keys}


def test_a_dry_run_and_a_refusal_are_no_points(begin):
    with begin({"kind": "lost", "nth": 1}) as run:
        run.world.call("place", {"id": "1", "status": "placed"}, commit=False)
        assert run.interposer.call("place", {"id": "7", "status": "placed"}).form == "refused"
        assert run.interposer.fired[0] == 0
        place(run, "1")
        assert run.interposer.fired[0] == 1


def test_an_event_of_a_call_in_another_process_would_come_back_from_its_line(begin):
    with begin() as run:
        place(run, "1")
    line = next(json.loads(line) for line in run.trace.lines if b'"kind":"delivery"' in line)
    assert line["emitted"] == 0
    assert line["call"] == 1


def test_every_event_that_a_world_emits_is_a_target(post):
    events = [target for target in targets_of(World.load(post)) if target.wire == "event"]
    assert [target.name for target in events] == ["orders.order_placed", "orders.order_changed"]


@pytest.mark.parametrize(
    ("when", "message"),
    [
        ({"stauts": "placed"}, "lost could never fire: orders.order_placed has no 'stauts'; it has id, status"),
        ({"status": "paid"}, "status of orders.order_placed is one of placed, shipped, null, and 'paid' is not"),
        ({"newer_than": "2h"}, "orders.order_placed addresses no single record with a datetime field"),
    ],
)
def test_a_condition_that_no_event_could_meet_is_told(begin, when, message):
    with pytest.raises(UsageError) as caught:
        begin({"kind": "lost", "when": when})
    assert message in str(caught.value)
    assert "did you mean 'status'?" in str(caught.value) or "stauts" not in when


def test_a_condition_on_a_field_of_the_row_chooses_events(begin):
    with begin({"kind": "lost", "when": {"status": "shipped"}}) as run:
        run.tools.place(id="1", status="placed")
        run.tools.place(id="2", status="shipped")
        assert [event.data["id"] for event in run.world.events("order_placed")] == ["1"]


def test_what_a_handler_answers_with_nobody_knows_so_that_its_events_conditions_are_not_checked(tmp_path):
    (tmp_path / "till.py").write_text("def pay(world, clock, sum: int):\n    return {'paid': sum}\n", encoding="utf-8")
    (tmp_path / "till.yaml").write_text(
        "services: { till: { operations: { pay: { kind: custom, handler: till.pay, emits: paid } } } }",
        encoding="utf-8",
    )
    faults = [{"target": "till.paid", "kind": "lost", "when": {"paid": 3}}]
    with Environment(tmp_path / "till.yaml", faults=faults) as run:
        run.tools.pay(sum=3)
        run.tools.pay(sum=4)
        assert [event.data["paid"] for event in run.world.events("paid")] == [4]
