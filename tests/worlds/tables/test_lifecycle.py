"""State machines and optimistic locks: what updates may do, whoever makes them."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.call import Refused
from squall.documents import parse
from squall.errors import UsageError
from squall.worlds import InvalidRow, World

TEXT = """
services:
  shop:
    records:
      order:
        fields: { id: str, status: "enum[placed, shipped, delivered, cancelled]?", note: str?, version: int }
        transitions: { status: { placed: [shipped, cancelled], shipped: [delivered], delivered: [] } }
        version: version
    seed:
      order: [{ id: "7", status: placed }, { id: "8", status: delivered, version: 4 }]
      count: 5
    operations:
      get_order: { kind: get, record: order }
      create_order: { kind: create, record: order, required: [status] }
      change_order: { kind: update, record: order }
"""


@pytest.fixture
def shop(world_of):
    return world_of(TEXT)


def refused(world, tool, args):
    with pytest.raises(Refused) as caught:
        world.call(tool, args)
    return caught.value.reason, str(caught.value)


def test_an_update_goes_where_the_state_machine_leads(shop):
    for state in ("shipped", "delivered"):
        version = shop.orders["7"].version
        assert shop.call("change_order", {"id": "7", "status": state, "version": version})["status"] == state


def test_an_update_that_leads_elsewhere_is_refused_with_what_is_possible(shop):
    args = {"id": "7", "status": "delivered", "version": 1}
    assert refused(shop, "change_order", args) == (
        "conflict",
        "status: order '7' is placed and cannot become delivered; it can become shipped or cancelled",
    )
    assert refused(shop, "change_order", {"id": "8", "status": "placed", "version": 4}) == (
        "conflict",
        "status: order '8' is delivered and cannot become placed; delivered is final",
    )
    assert shop.revision == 0


def test_a_state_without_a_line_of_its_own_is_final(shop):
    shop.orders.update("7", status="cancelled")
    with pytest.raises(InvalidRow, match="cancelled is final"):
        shop.orders.update("7", status="placed")


def test_test_code_and_handlers_are_held_to_it_too(shop):
    with pytest.raises(InvalidRow, match="'7' is placed and cannot become empty; it can become"):
        shop.orders.update("7", status=None)
    shop.orders.update("7", status="placed", note="the same state again is no step")
    assert shop.orders["7"].note is not None


def test_a_row_may_begin_anywhere_and_go_anywhere_from_null(shop):
    assert shop.orders.insert(status="cancelled").status == "cancelled"
    row = shop.orders.insert()
    assert shop.orders.update(row.id, status="delivered").status == "delivered"


def test_other_fields_of_a_final_row_may_change(shop):
    assert shop.call("change_order", {"id": "8", "note": "kept", "version": 4})["note"] == "kept"


def test_every_update_counts_the_version_up_by_one(shop):
    assert [row.version for row in shop.orders] == [1, 4, 1, 1, 1]
    assert shop.call("create_order", {"status": "placed"})["version"] == 1
    assert shop.call("change_order", {"id": "7", "note": "a", "version": 1})["version"] == 2
    assert shop.orders.update("7", note="b").version == 3
    assert shop.orders["7"].version == shop.ledger[-1].after["version"] == 3


def test_an_update_for_a_version_that_is_gone_is_a_conflict(shop):
    shop.call("change_order", {"id": "7", "note": "first", "version": 1})
    assert refused(shop, "change_order", {"id": "7", "note": "second", "version": 1}) == (
        "conflict",
        "order '7' has version 2, not 1: it was changed in the meantime; read it again",
    )
    assert shop.orders["7"].note == "first"


def test_an_operation_must_name_the_version_that_it_read(shop):
    args = {"id": "7", "note": "x"}
    assert refused(shop, "change_order", args) == ("arguments", "missing argument 'version'")
    for wrong, said in [("1", "'1'"), (None, "null"), (True, "True")]:
        text = f"version: {said} is not a whole number"
        assert refused(shop, "change_order", args | {"version": wrong}) == ("arguments", text)
    assert shop.call("change_order", args | {"version": 1.0})["version"] == 2


def test_the_tools_say_what_they_want(shop):
    update, create = shop.operations["change_order"], shop.operations["create_order"]
    assert update.input_schema["required"] == ["id", "version"]
    assert "that you read" in update.input_schema["properties"]["version"]["description"]
    assert "version" not in create.input_schema["properties"]
    assert "version" in create.output_schema["properties"]


HANDLERS = """
import asyncio

async def slow_ship(world, clock, id: str):
    row = world.orders[id]
    await asyncio.sleep(0)
    return world.orders.update(id, status="shipped")

async def slow_note(world, clock, id: str, note: str):
    version = world.orders[id].version
    await asyncio.sleep(0)
    return world.orders.update(id, note=note, version=version)

async def slow_twice(world, clock, id: str):
    world.orders.update(id, note="one")
    await asyncio.sleep(0)
    return world.orders.update(id, note="two")

def twice(world, clock, id: str):
    world.orders.update(id, status="shipped")
    return world.orders.update(id, status="delivered", version=2)
"""


@pytest.fixture
def handled(make):
    names = ("slow_ship", "slow_note", "slow_twice", "twice")
    custom = "".join(f"      {name}: {{ kind: custom, handler: rules.{name} }}\n" for name in names)
    return World.load(make(TEXT + custom, rules=HANDLERS))


def both(world, *calls):
    async def run():
        return await asyncio.gather(*(world.call(*call) for call in calls), return_exceptions=True)

    return asyncio.run(run())


def test_of_two_requests_that_meet_the_second_is_checked_against_what_the_first_did(handled):
    first, second = both(handled, ("slow_ship", {"id": "7"}), ("slow_ship", {"id": "7"}))
    assert (first["status"], second["status"], handled.orders["7"].version) == ("shipped", "shipped", 3)
    handled.orders.update("7", status="delivered")
    first, second = both(handled, ("slow_note", {"id": "7", "note": "a"}), ("slow_note", {"id": "7", "note": "b"}))
    assert first["note"] == handled.orders["7"].note == "a"
    assert "has version 5, not 4" in str(second)
    assert second.reason == "conflict"


def test_a_state_that_another_request_left_meanwhile_is_seen(handled):
    async def run():
        shipping = asyncio.ensure_future(handled.call("slow_ship", {"id": "7"}))
        await asyncio.sleep(0)
        handled.orders.update("7", status="cancelled")
        return await asyncio.gather(shipping, return_exceptions=True)

    [error] = asyncio.run(run())
    assert "is cancelled and cannot become shipped; cancelled is final" in str(error)
    assert handled.orders["7"].status == "cancelled"


def test_versions_are_counted_through_when_requests_meet(handled):
    both(handled, ("slow_twice", {"id": "7"}), ("slow_twice", {"id": "7"}))
    assert [effect.after["version"] for effect in handled.ledger] == [2, 3, 4, 5]


def test_within_a_handler_the_rules_see_its_own_writes(handled):
    assert handled.call("twice", {"id": "7"})["version"] == 3
    assert handled.revision == 2


def test_a_dry_run_counts_nothing(shop):
    args = {"id": "7", "note": "x", "version": 1}
    assert shop.call("change_order", args, commit=False) == shop.call("change_order", args, commit=False)
    assert shop.orders["7"].version == 1


def test_a_record_may_have_fields_that_are_called_like_the_parts_of_the_long_form(world_of):
    world = world_of("""
    services:
      a:
        records:
          form: { fields: { name: str, rows: int }, version: int, transitions: str? }
          page: { fields: { name: str } }
          long: { fields: { fields: { name: str }, version: int, transitions: int }, version: version }
        seed: { form: [{ fields: { name: x, rows: 1 }, version: 3 }], long: [{ transitions: 2 }], count: 1 }
    """)
    assert (world.forms["1"].fields.name, world.forms["1"].version) == ("x", 3)
    assert list(world.pages.record.fields) == ["id", "fields"]
    assert world.forms.update("1", version=9).version == 9
    assert world.longs.update("1", transitions=5).to_dict()["version"] == 2


BASE = """
services:
  a:
    records:
      x:
        fields: { state: "enum[new, old]", count: int, total: float, n: "int[1..5]" }
        %s
"""


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("versions: count", "7:9: unknown key 'versions'; did you mean 'version'?\n    Valid keys here: fields, trans"),
        (
            "version: cuont",
            "7:18: the field 'cuont' does not exist; did you mean 'count'?\n    Whole numbers of a.x",
        ),
        ("version: total", "7:18: the field 'total' is float, and versions are int\n    Whole numbers of a.x: count."),
        ("version: n", "7:18: the field 'n' is int[1..5], and versions are int"),
        ("version: id", "7:18: the field 'id' cannot count updates, since it stays as it is"),
        ("version: [count]", "7:18: the field ['count'] does not exist"),
        (
            "transitions: { sate: { new: [old] } }",
            "7:24: the field 'sate' does not exist; did you mean 'state'?\n    Enums of a.x: state.",
        ),
        ("transitions: { count: { new: [old] } }", "7:24: the field 'count' is int, and states are an enum"),
        (
            "transitions: { state: { nwe: [old] } }",
            "7:33: there is no state 'nwe'; did you mean 'new'?\n    States: new, old.",
        ),
        ("transitions: { state: { new: [odl] } }", "7:39: there is no state 'odl'; did you mean 'old'?"),
        ("transitions: { state: { new: odl } }", "7:38: 'odl' does not say which states may follow\n    Write transi"),
        ("transitions: { state: [new] }", "7:31: ['new'] does not say which states may follow"),
        ("transitions: [state]", "7:22: ['state'] does not say which states may follow"),
    ],
)
def test_a_rule_that_does_not_fit_is_named_with_its_place(rule, message, world_of):
    with pytest.raises(UsageError) as caught:
        world_of(BASE % rule)
    assert str(caught.value).startswith(f"world.yaml:{message}")


def test_wrong_types_are_named_in_the_long_form_as_well(world_of):
    with pytest.raises(UsageError) as caught:
        world_of((BASE % "version: count").replace("total: float", "total: flaot").replace("count: int", "count: itn"))
    assert [line.split(": ", 1)[1] for line in str(caught.value).splitlines() if line.startswith("w")] == [
        "unknown type 'itn'; did you mean 'int'?",
        "unknown type 'flaot'; did you mean 'float'?",
    ]


def test_a_version_cannot_be_required_of_create(world_of):
    with pytest.raises(UsageError, match="'version' counts updates, and is not given when a row is created"):
        world_of(TEXT.replace("required: [status]", "required: [status, version]"))


def test_a_row_that_seeding_cannot_make_is_named_at_the_field_of_the_long_form(world_of):
    text = (BASE % "version: count").replace('n: "int', 'of: ref[a.y], n: "int')
    with pytest.raises(UsageError) as caught:
        world_of(text + "\n      y: { n: int }\n    seed: { x: 1 }\n")
    assert str(caught.value).startswith("world.yaml:6:74: a.x has rows whose 'of' must refer to a.y, which has none")


MACHINE = parse(
    """
    services:
      a:
        records:
          x:
            fields: { state: "enum[a, b, c]", v: int }
            transitions: { state: { a: [b, c], b: [a] } }
            version: v
        seed: { x: [{ state: a }] }
        operations: { change: { kind: update, record: x } }
    """,
    format="yaml",
    name="w.yaml",
)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(-1, 1))))
def test_whatever_is_tried_only_legal_steps_from_the_version_that_was_read_happen(steps):
    world = World.parse(MACHINE)
    state, version = "a", 1
    for wanted, off in steps:
        legal = off == 0 and (wanted == state or (state + wanted) in ("ab", "ac", "ba"))
        try:
            world.call("change", {"id": "1", "state": wanted, "v": version + off})
        except Refused:
            assert not legal
        else:
            assert legal
            state, version = wanted, version + 1
        assert (world.x["1"].state, world.x["1"].v) == (state, version)


def test_a_rule_among_the_fields_is_told_where_it_belongs(world_of):
    with pytest.raises(UsageError) as caught:
        world_of("""
            services:
              a:
                records:
                  x: { state: "enum[new, old, gone]", transitions: { state: { new: [old, gone] } } }
            """)
    assert str(caught.value) == (
        "world.yaml:5:43: 'transitions' is no field with types; rules stand beside fields\n"
        "    Write { fields: { … }, transitions: { … } }."
    )


FIELDS_OF_X = '{ state: "enum[new, old]" }'
WAYS = "{ state: { new: [old] } }"


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (
            f"{{ feilds: {FIELDS_OF_X}, transitions: {WAYS} }}",
            ["unknown key 'feilds'; did you mean 'fields'?\n    Valid keys here: fields, transitions, version, emits."],
        ),
        (
            "{ feild: { v: int }, version: v }",
            ["unknown key 'feild'; did you mean 'fields'?\n    Valid keys here: fields, transitions, version, emits."],
        ),
        (
            f"{{ feilds: {FIELDS_OF_X}, transitons: {WAYS} }}",
            ["unknown key 'feilds'; did you mean 'fields'?", "unknown key 'transitons'; did you mean 'transitions'?"],
        ),
        (
            f'{{ state: "enum[new, old]", transitons: {WAYS} }}',
            ["'transitons' is no field with types; rules stand beside fields; did you mean 'transitions'?\n    Write"],
        ),
        ("{ versions: { major: int, minor: itn } }", ["unknown type 'itn'; did you mean 'int'?"]),
    ],
)
def test_a_misspelt_key_of_a_record_is_told_the_one_that_was_meant(world_of, record, told):
    with pytest.raises(UsageError) as caught:
        world_of(f"services: {{ a: {{ records: {{ x: {record} }} }} }}")
    problems = [str(problem._replace(at=None)) for problem in caught.value.problems]
    assert len(problems) == len(told)
    assert all(map(str.startswith, problems, told)), problems


def test_a_nested_field_may_have_nearly_the_name_of_a_key(world_of):
    world = world_of(
        "services: { a: { records: { x: { field: { a: int }, versions: { major: int }, version: int } } } }"
    )
    assert set(world.x.record.fields) == {"id", "field", "versions", "version"}
