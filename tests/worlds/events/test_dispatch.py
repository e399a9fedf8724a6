"""Events: emitted by what has landed, delivered to the queue that a test reads and to listeners."""

from __future__ import annotations

import asyncio

import pytest

import squall
from squall.call import CallRef, Refused
from squall.errors import UsageError
from squall.worlds import Event, World, events_of
from squall.worlds.events.dispatch import ListenerFailed

TEXT = """
services:
  orders:
    records:
      order:
        fields: { id: str, status: "enum[placed, shipped, delivered]", tags: list[str] }
        transitions: { status: { placed: [shipped], shipped: [delivered] } }
        emits: { status: { delivered: order_delivered } }
    seed: { order: [{ id: "7", status: placed, tags: [a] }] }
    operations:
      place: { kind: create, record: order, idempotency_key: key, emits: order_placed }
      change: { kind: update, record: order, emits: order_changed }
      remove: { kind: delete, record: order, emits: order_removed }
      ship: { kind: custom, handler: rules.ship, emits: order_shipped }
      ship_all: { kind: custom, handler: rules.ship_all }
  mail:
    records: { letter: { about: str, event: str } }
    listens: { order_shipped: rules.write, order_placed: rules.awrite }
"""
RULES = """
import asyncio

def ship(world, clock, id: str, fail: bool = False):
    row = world.orders.update(id, status="shipped")
    if fail:
        raise ValueError("the van is full")
    return row

def ship_all(world, clock, fail: bool = False):
    for row in world.orders.where(status="placed"):
        world.call("ship", {"id": row.id})
    assert world.events() == []
    if fail:
        raise ValueError("no")

def write(world, clock, event):
    world.letters.insert(about=event.data["id"], event=event.id)
    if event.data["tags"] == ["bad"]:
        raise RuntimeError("no ink")

async def awrite(world, clock, event):
    world.letters.insert(about=event.data["id"], event=event.id)
    await asyncio.sleep(0)
    if event.data["tags"] == ["bad"]:
        raise RuntimeError("no ink either")
"""


@pytest.fixture
def shop(make):
    return World.load(make(TEXT, rules=RULES))


def names(world):
    return [event.name for event in world.events()]


def test_an_operation_that_has_succeeded_emits_its_answer(shop):
    shop.clock.advance(5)
    ref = CallRef(3, "change", {"id": "7"})
    answer = shop.call("change", {"id": "7", "tags": ["b"]}, ref=ref)
    assert shop.events("order_changed") == [Event("evt_1", "order_changed", answer, 5.0, 5.0, ref)]
    shop.call("remove", {"id": "7"})
    assert (names(shop), shop.events("order_removed")[0].data["tags"]) == (["order_changed", "order_removed"], ["b"])


def test_listeners_are_told_after_the_call_in_a_transaction_of_their_own(shop):
    ref = CallRef(1, "ship", {"id": "7"})
    shop.call("ship", {"id": "7"}, ref=ref)
    assert [(letter.about, letter.event) for letter in shop.letters] == [("7", "evt_1")]
    assert [(effect.table, effect.call) for effect in shop.ledger] == [("orders.order", ref), ("mail.letter", ref)]


def test_async_listeners_run_with_or_without_a_loop(shop):
    async def place():
        shop.call("place", {"id": "9", "tags": []})
        await asyncio.sleep(0.01)

    shop.call("place", {"id": "8", "tags": []})
    asyncio.run(place())
    assert [letter.about for letter in shop.letters] == ["8", "9"]


def test_an_async_listener_that_its_loop_left_behind_is_brought_to_its_end(make):
    rules = RULES.replace("sleep(0)", "sleep(0)\n    world.letters.insert(about='end')")
    shop = World.load(make(TEXT, rules=rules))

    async def place():
        shop.call("place", {"id": "8", "tags": []})

    asyncio.run(place())
    assert shop.letters.count() == 0
    shop.settle()
    shop.settle()
    assert [letter.about for letter in shop.letters] == ["8", "end"]


def test_an_update_that_leads_to_a_state_emits_whoever_makes_it(shop):
    shop.orders.update("7", status="shipped")
    assert names(shop) == []
    shop.orders.update("7", status="delivered")
    shop.orders.update("7", status="delivered", tags=["z"])
    shop.orders.insert(status="delivered")
    [event] = shop.events("order_delivered")
    assert (event.data["id"], event.data["status"], event.call) == ("7", "delivered", None)
    assert names(shop) == ["order_delivered"]


def test_what_did_not_happen_emits_nothing(shop):
    shop.call("ship", {"id": "7"}, commit=False)
    for tool, args in [("ship", {"id": "7", "fail": True}), ("change", {"id": "99"}), ("ship_all", {"fail": True})]:
        with pytest.raises(Refused):
            shop.call(tool, args)
    assert (names(shop), len(shop.letters)) == ([], 0)


def test_calls_within_a_handler_emit_when_the_handler_has_landed(shop):
    shop.call("ship_all", {})
    assert names(shop) == ["order_shipped"]


def test_a_request_that_is_answered_from_memory_emits_nothing_again(shop):
    for _ in range(3):
        shop.call("place", {"id": "8", "tags": [], "key": "k"})
    assert names(shop) == ["order_placed"]


def test_events_are_copies(shop):
    shop.call("change", {"id": "7", "tags": ["b"]})["tags"].append("c")
    assert shop.events()[0].data["tags"] == ["b"]


def test_a_courier_may_deliver_twice_late_or_never(shop):
    shop.journal.dispatch.courier = lambda event: {"order_shipped": [0, 30], "order_changed": []}[event.name]
    shop.call("change", {"id": "7", "tags": ["b"]})
    shop.call("ship", {"id": "7"})
    assert [(event.id, event.t) for event in shop.events()] == [("evt_2", 0)]
    shop.clock.advance(30)
    assert [(event.id, event.t, event.emitted) for event in shop.events()] == [("evt_2", 0, 0), ("evt_2", 30, 0)]
    assert [letter.event for letter in shop.letters] == ["evt_2", "evt_2"]


def test_faults_can_name_each_event_as_they_name_operations(shop):
    targets = shop.journal.dispatch.targets
    assert {event: target.name for event, target in targets.items()} == {
        "order_delivered": "orders.order_delivered",
        "order_placed": "orders.order_placed",
        "order_changed": "orders.order_changed",
        "order_removed": "orders.order_removed",
        "order_shipped": "orders.order_shipped",
    }
    assert targets["order_delivered"].fields == targets["order_placed"].fields == ("id", "status", "tags")
    assert targets["order_shipped"].fields == ()  # that is what a handler returns


def test_an_event_that_several_things_emit_may_hold_what_any_of_them_says(world_of):
    world = world_of(
        """
        services:
          shop:
            records:
              order: { id: str, n: int, state: "enum[a, b]" }
              item: { order: "ref[shop.order]", state: "enum[a, b]", n: str }
            operations:
              place: { kind: create, record: order, include: [items], emits: placed }
              add: { kind: create, record: item, emits: placed }
        """
    )
    placed = world.journal.dispatch.targets["placed"]
    assert placed.fields == ("id", "n", "state", "items", "order")
    assert placed.schemas["state"]["enum"] == ["a", "b", None]
    assert placed.schemas["n"] == {}  # a number here, a text there


def test_late_deliveries_overtake_one_another_and_land_at_the_end(shop):
    delays = {"order_changed": [60], "order_shipped": [20]}
    shop.journal.dispatch.courier = lambda event: delays[event.name]
    shop.call("change", {"id": "7", "tags": ["b"]})
    shop.call("ship", {"id": "7"})
    assert names(shop) == []
    shop.settle()
    assert names(shop) == ["order_shipped", "order_changed"]


def test_others_can_be_told_of_deliveries(shop):
    told: list[Event] = []
    shop.journal.dispatch.on_delivery.append(told.append)
    shop.call("ship", {"id": "7"})
    assert told == shop.events()


@pytest.mark.parametrize(
    ("tool", "args", "text"),
    [
        ("ship", {"id": "7"}, "rules.write failed on order_shipped (evt_2) at 0 s: RuntimeError: no ink"),
        ("place", {"id": "8", "tags": ["bad"]}, "rules.awrite failed on order_placed (evt_2) at 0 s: RuntimeError: no"),
    ],
)
def test_a_listener_that_fails_harms_no_call_and_is_told_at_the_end(shop, tool, args, text):
    shop.call("change", {"id": "7", "tags": ["bad"]})
    assert shop.call(tool, args)["tags"] == ["bad"]
    with pytest.raises(ListenerFailed) as caught:
        shop.settle()
    assert str(caught.value).startswith(text)
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert len(shop.letters) == 0
    shop.settle()


def test_a_run_whose_listener_failed_has_failed(make):
    with pytest.raises(ListenerFailed, match="no ink") as caught, squall.world(make(TEXT, rules=RULES)) as run:
        run.world.orders.update("7", tags=["bad"])
        run.tools.ship(id="7")
        run.tools.place(id="8", tags=["bad"])
    assert any("rules.awrite failed" in note for note in caught.value.__notes__)
    assert run.finish().status == "failed"


def test_an_unknown_event_is_answered_with_the_nearest(shop):
    with pytest.raises(UsageError, match="'world' emits 'order_shiped'; did you mean 'order_shipped'"):
        shop.events("order_shiped")
    with pytest.raises(UsageError, match="there are order_delivered, order_placed"):
        shop.events("x")


def test_a_record_that_is_called_event_keeps_its_table(world_of):
    world = world_of("""
        services:
          a:
            records: { event: { title: str } }
            seed: { event: 2 }
            operations: { add: { kind: create, record: event, emits: added } }
        """)
    world.call("add", {"title": "x"})
    assert world.events.count() == world.event.count() == 3
    assert [event.data["title"] for event in events_of(world, "added")] == ["x"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            ("order_shipped: rules", "order_shiped: rules"),
            "nothing emits 'order_shiped'; did you mean 'order_shipped'?",
        ),
        (("emits: order_changed", "emits: change"), "the event 'change' is called like the operation orders.change"),
        (("emits: order_shipped", "emits: order-shipped"), "'order-shipped' cannot name an event"),
        (("{ delivered: order_d", "{ deliverd: order_d"), "there is no state 'deliverd'; did you mean 'delivered'?"),
        (("emits: { status: {", "emits: { sttus: {"), "the field 'sttus' does not exist; did you mean 'status'?"),
        (("{ delivered: order_delivered }", "delivered"), "'delivered' does not say which event it is to get there"),
        (("delivered: order_delivered", "delivered: 5"), "5 cannot name an event"),
        (
            ("rules.write,", "rules.wirte,"),
            "rules.py has no 'wirte' for the handler 'rules.wirte'; did you mean 'write'?",
        ),
        (("rules.write,", "rules.ship_all,"), "takes (world, clock, fail), but"),
        (("rules.write,", "5,"), "order_shipped"),
        (
            ("kind: delete, record: order, emits: order_removed", "kind: get, record: order, emits: x"),
            "kind get has no 'emits'",
        ),
    ],
)
def test_events_that_cannot_be_are_named(change, message, make):
    text = TEXT.replace(*change)
    assert text != TEXT
    rules = RULES.replace("def ship_all(world, clock, fail: bool = False)", "def ship_all(world, clock, *, fail: bool)")
    with pytest.raises(UsageError) as caught:
        World.load(make(text, rules=rules))
    assert any(message in str(problem) for problem in caught.value.problems)
    assert all(problem.at and problem.at.line for problem in caught.value.problems)


def test_a_file_whose_listeners_are_code_is_refused_where_none_may_run(make):
    with pytest.raises(UsageError) as caught:
        World.load(make(TEXT, rules=RULES), handlers=False)
    assert sum("no handlers may run here" in str(problem) for problem in caught.value.problems) == 4
