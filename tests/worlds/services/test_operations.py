from __future__ import annotations

import json

import pytest

from squall.call import CallRef, Refused


def refused(world, tool, args):
    with pytest.raises(Refused) as caught:
        world.call(tool, args)
    return caught.value.reason, str(caught.value)


def test_get_answers_with_the_row(shop):
    assert shop.call("get_order", {"id": "7"}) == shop.snapshot()["orders.order"]["7"]
    assert refused(shop, "get_order", {"id": "99"}) == ("not_found", "order '99' not found")


def test_list_answers_with_all_rows_or_those_that_match(shop):
    assert shop.call("list_orders", {}) == list(shop.snapshot()["orders.order"].values())
    found = shop.call("list_orders", {"customer_id": "ada", "total": 10})
    assert [row["id"] for row in found] == ["7"]
    assert shop.call("list_orders", {"customer_id": "nobody"}) == []
    assert refused(shop, "list_orders", {"note": "x"})[0] == "arguments"
    assert refused(shop, "list_orders", {"status": "placd"}) == (
        "arguments",
        "status: 'placd' is not one of placed, delivered, returned; did you mean 'placed'?",
    )


def test_create_answers_with_the_new_row(shop):
    row = shop.call("create_order", {"customer_id": "ada", "total": 3})
    assert row == shop.snapshot()["orders.order"][row["id"]]
    assert row["status"] is None
    assert refused(shop, "create_order", {"total": 3}) == ("arguments", "missing argument 'customer_id'")
    assert refused(shop, "create_order", {"customer_id": "ada", "total": "3"}) == (
        "arguments",
        "total: '3' is not a number",
    )
    assert refused(shop, "create_order", {"customer_id": "x", "total": 3}) == (
        "invalid",
        "customer_id: there is no customer with id 'x'",
    )
    assert refused(shop, "create_order", {"customer_id": "ada", "total": 3, "id": "7"}) == (
        "invalid",
        "there is already an order with id '7'",
    )
    assert shop.revision == 1


def test_update_answers_with_the_row_as_it_is_now(shop):
    row = shop.call("update_order", {"id": "7", "status": "delivered"})
    assert (row["status"], row["total"]) == ("delivered", 10.0)
    assert refused(shop, "update_order", {"id": "99"}) == ("not_found", "order '99' not found")
    assert refused(shop, "update_order", {"status": "placed"}) == ("arguments", "missing argument 'id'")
    assert refused(shop, "update_order", {"id": 7}) == ("arguments", "id: 7 is not a string")
    assert refused(shop, "update_order", {"id": "7", "stats": 1}) == (
        "arguments",
        "unknown argument 'stats'; did you mean 'status'?",
    )
    assert refused(shop, "update_order", {"id": "7", "n": 0}) == ("arguments", "n: 0 is not in 1..10")


def test_delete_answers_with_the_row_that_was(shop):
    before = shop.snapshot()["orders.order"]["7"]
    assert shop.call("delete_order", {"id": "7"}) == before
    assert refused(shop, "delete_order", {"id": "7"}) == ("not_found", "order '7' not found")


@pytest.mark.parametrize(
    ("args", "text"),
    [
        ({}, "missing argument 'id'"),
        ({"id": 7}, "id: 7 is not a string"),
        ({"id": None}, "id: null is not a string"),
        ({"id": ["7"]}, "id: ['7'] is not a string"),
        ({"ID": "7"}, "unknown argument 'ID'; did you mean 'id'?"),
        ({"id": "7", "verbose": True}, "unknown argument 'verbose'; arguments: id"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_in_plain_words(shop, args, text):
    for tool in ("get_order", "delete_order"):
        assert refused(shop, tool, args) == ("arguments", text)
    assert shop.revision == 0


def test_what_is_refused_never_says_that_this_is_a_test(shop):
    for tool, args in [
        ("get_order", {"id": "x"}),
        ("get_order", {"x": 1}),
        ("create_order", {"customer_id": "x", "total": 1}),
        ("update_order", {"id": "x"}),
        ("delete_order", {"id": "x"}),
    ]:
        _, text = refused(shop, tool, args)
        assert not any(word in text.lower() for word in ("squall", "mock", "test", "fake", "fault", "world"))


def test_answers_are_copies(world_of):
    world = world_of("""
        services:
          a:
            records: { t: { tags: list[str], n: int } }
            seed: { t: [{ tags: [x], n: 1 }] }
            operations: { get_t: { kind: get, record: t }, list_t: { kind: list, record: t } }
    """)
    world.call("get_t", {"id": "1"})["tags"].append("y")
    world.call("list_t", {})[0]["n"] = 5
    assert world.call("get_t", {"id": "1"}) == {"id": "1", "tags": ["x"], "n": 1}


def test_a_dry_run_answers_the_same_and_leaves_nothing(shop):
    before = shop.snapshot()
    calls = [
        ("create_order", {"customer_id": "ada", "total": 1}),
        ("update_order", {"id": "7", "n": 5}),
        ("delete_order", {"id": "7"}),
        ("get_order", {"id": "7"}),
    ]
    for tool, args in calls:
        dry = shop.call(tool, args, commit=False)
        assert dry == shop.call(tool, args, commit=False)
        assert shop.snapshot() == before
    assert (shop.revision, shop.ledger) == (0, [])
    assert [shop.call(tool, args, commit=False) for tool, args in calls[:1]] == [shop.call(*calls[0])]


def test_effects_carry_the_call_that_made_them(shop):
    ref = CallRef(3, "update_order", {"id": "7"})
    shop.call("update_order", {"id": "7", "n": 5}, ref=ref)
    assert shop.ledger[0].call is ref


def test_parameters_and_schemas_follow_from_kind_and_types(shop):
    get, find, create, update, delete = (
        shop.operations[name] for name in ("get_order", "list_orders", "create_order", "update_order", "delete_order")
    )
    fields = ["customer_id", "status", "total", "n", "placed_at", "note"]
    assert [param.name for param in get.params] == [param.name for param in delete.params] == ["id"]
    assert [param.name for param in find.params] == ["status", "customer_id", "total"]
    assert [param.name for param in create.params] == ["customer_id", "total", "id", "status", "n", "placed_at", "note"]
    assert [param.name for param in update.params] == ["id", *fields]
    assert create.input_schema["required"] == ["customer_id", "total"]
    assert update.input_schema["required"] == ["id"]
    assert "required" not in find.input_schema
    assert update.input_schema["properties"]["status"] == {
        "type": "string",
        "enum": ["placed", "delivered", "returned"],
    }
    assert update.input_schema["properties"]["customer_id"]["description"] == "the id of a customer"
    assert get.input_schema["properties"]["id"] == {"type": "string", "description": "the id of the order"}
    assert update.input_schema["properties"]["n"] == {"type": "integer", "minimum": 1, "maximum": 10}


def test_output_schemas_require_nothing_and_allow_null(shop):
    schema = shop.operations["get_order"].output_schema
    assert "required" not in schema
    assert schema["properties"]["id"] == {"type": "string"}
    assert schema["properties"]["total"] == {"type": ["number", "null"]}
    assert schema["properties"]["status"]["enum"][-1] is None
    assert shop.operations["list_orders"].output_schema == {"type": "array", "items": schema}
    json.dumps([operation.input_schema for operation in shop.operations.values()])


def test_access_and_hints_are_honest(shop):
    told = {
        name: (operation.access, operation.idempotent, operation.destructive)
        for name, operation in shop.operations.items()
    }
    assert told == {
        "get_customer": ("read", True, False),
        "get_order": ("read", True, False),
        "list_orders": ("read", True, False),
        "create_order": ("write", False, False),
        "update_order": ("write", True, True),
        "delete_order": ("write", True, True),
    }


def test_targets_tell_other_rooms_what_they_need(shop):
    target = shop.operations["get_order"].target
    assert (target.name, target.tool, target.wire, target.access) == ("orders.get_order", "get_order", "tool", "read")
    assert target.fields == ("id",)
    assert target.returns == ("id", "customer_id", "status", "total", "n", "placed_at", "note")
    assert target.dated
    assert not target.many
    assert shop.operations["list_orders"].target.many
    assert not shop.operations["get_customer"].target.dated
    assert not shop.operations["list_orders"].target.dated


def test_descriptions_are_made_unless_given(shop, world_of):
    assert [operation.description for operation in shop.operations.values()] == [
        "Get a customer by its id.",
        "Get an order by its id.",
        "List orders, all or those with a given status and customer_id and total.",
        "Create an order.",
        "Update an order; fields that are not given stay as they are.",
        "Delete an order by its id.",
    ]
    world = world_of("""
        services:
          a:
            records: { line_item: { n: int } }
            operations:
              a: { kind: get, record: line_item, description: Fetch it. }
              b: { kind: list, record: line_item }
    """)
    assert world.operations["a"].description == "Fetch it."
    assert world.operations["b"].description == "List line items."


def test_an_operation_may_work_on_a_record_of_another_service(world_of):
    world = world_of("""
        services:
          a: { records: { x: { n: int } }, seed: { x: 1 } }
          b: { operations: { peek: { kind: get, record: a.x } } }
    """)
    assert world.call("peek", {"id": "1"})["id"] == "1"
    assert str(world.operations["peek"]) == "b.peek"


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("d", "9999-12-31T23:59:59-12:00"),
        ("d", "0001-01-01T00:00:00+14:00"),
        ("f", 10**400),
        ("n", 10**2000),
        ("m", 10**2000),
        ("m", "1e99999"),
        ("e", "x" * 100_000),
    ],
)
def test_values_beyond_all_bounds_are_refused_as_arguments_and_blamed_on_nobody_else(world_of, field, value):
    world = world_of("""
        services:
          a:
            records: { x: { d: datetime?, f: float?, n: int?, m: decimal?, e: "enum[on, off]?" } }
            operations:
              add: { kind: create, record: x }
              change: { kind: update, record: x }
              list: { kind: list, record: x, filter: [d, f.gte, n.in, m.lt, e] }
    """)
    world.x.insert()
    name = {"f": "f_gte", "n": "n_in", "m": "m_lt"}.get(field, field)
    given = [value] if field == "n" else value
    for tool, args in [("add", {field: value}), ("change", {"id": "1", field: value}), ("list", {name: given})]:
        with pytest.raises(Refused) as caught:
            world.call(tool, args)
        assert caught.value.reason == "arguments"
        assert len(str(caught.value)) < 300
