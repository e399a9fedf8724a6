"""Rows inside rows: read inline, and created together or not at all."""

from __future__ import annotations

import pytest

from squall.call import Refused
from squall.errors import UsageError

TEXT = """
services:
  shop:
    records:
      order: { id: str, customer: str, placed_at: datetime }
      line_item: { id: str, order: "ref[shop.order]", sku: str, quantity: "int[1..10]" }
    seed:
      order: [{ id: "7", customer: ada }, { id: "8", customer: bo }]
      line_item:
        - { id: "a", order: "7", sku: lamp, quantity: 1 }
        - { id: "b", order: "8", sku: pen, quantity: 2 }
        - { id: "c", order: "7", sku: mug, quantity: 3 }
    operations:
      get_order: { kind: get, record: order, include: [line_items] }
      list_orders: { kind: list, record: order, include: [line_items, notes], sort: [customer], page_size: 1 }
      all_orders: { kind: list, record: order, include: [shop.line_items, crm.note] }
      create_order:
        { kind: create, record: order, required: [customer, line_items], include: [line_items, notes.about] }
  crm:
    records:
      note: { about: "ref[shop.order]", text: str, replies_to: "ref[crm.note]?" }
"""


@pytest.fixture
def shop(world_of):
    return world_of(TEXT)


def refused(world, args):
    with pytest.raises(Refused) as caught:
        world.call("create_order", args)
    return caught.value.reason, str(caught.value)


def test_get_and_list_have_the_children_inside(shop):
    order = shop.call("get_order", {"id": "7"})
    rows = shop.snapshot()
    assert order == rows["shop.order"]["7"] | {"line_items": [rows["shop.line_item"][key] for key in "ac"]}
    assert shop.call("list_orders", {"sort": "customer"})["orders"] == [order | {"notes": []}]
    assert [
        (row["id"], [item["sku"] for item in row["line_items"]], row["note"]) for row in shop.call("all_orders", {})
    ] == [
        ("7", ["lamp", "mug"], []),
        ("8", ["pen"], []),
    ]


def test_create_makes_the_children_with_their_parent(shop):
    answer = shop.call(
        "create_order",
        {
            "customer": "cy",
            "line_items": [{"sku": "cup", "quantity": 1}, {"id": "z", "sku": "jar"}],
            "notes": [{"text": "call first"}],
        },
    )
    key = answer["id"]
    assert [(item["order"], item["sku"], item["quantity"]) for item in answer["line_items"]] == [
        (key, "cup", 1),
        (key, "jar", None),
    ]
    assert shop.line_items["z"].order == key
    assert [note.about for note in shop.notes] == [key]
    assert answer["notes"][0]["text"] == "call first"
    assert [effect.table for effect in shop.ledger] == ["shop.order", *["shop.line_item"] * 2, "crm.note"]
    assert shop.call("get_order", {"id": key})["line_items"] == answer["line_items"]


@pytest.mark.parametrize(
    ("items", "reason", "text"),
    [
        ([{"sku": "a"}, {"sku": "b", "quantity": 11}], "arguments", "line_items[1]: quantity: 11 is not in 1..10"),
        ([{"sku": "a", "id": "c"}], "invalid", "line_items[0]: there is already a line_item with id 'c'"),
        (
            [{"sku": "a", "quantty": 1}],
            "arguments",
            "line_items[0]: line_item has no field 'quantty'; did you mean 'quantity'?",
        ),
        ([{"order": "8"}], "arguments", "line_items[0]: order is what it stands in; leave it out"),
        ([5], "arguments", "line_items[0]: 5 is not an object"),
        ({"sku": "a"}, "arguments", "line_items: {'sku': 'a'} is not a list"),
        (None, "arguments", "line_items: null is not a list"),
    ],
)
def test_one_child_that_does_not_fit_leaves_nothing_behind(shop, items, reason, text):
    before = shop.snapshot()
    assert refused(shop, {"customer": "cy", "line_items": items}) == (reason, text)
    assert (shop.snapshot(), shop.revision) == (before, 0)
    assert shop.call("create_order", {"customer": "cy", "line_items": []})["id"] == "1"


def test_children_can_be_required(shop):
    assert refused(shop, {"customer": "cy"}) == ("arguments", "missing argument 'line_items'")
    assert "notes" not in shop.operations["create_order"].input_schema["required"]


def test_a_dry_run_shows_the_children_and_keeps_none(shop):
    before = shop.snapshot()
    answer = shop.call("create_order", {"customer": "cy", "line_items": [{"sku": "cup"}]}, commit=False)
    assert [item["sku"] for item in answer["line_items"]] == ["cup"]
    assert shop.snapshot() == before


def test_schemas_and_descriptions_tell_of_the_children(shop):
    create, get, find = (shop.operations[name] for name in ("create_order", "get_order", "list_orders"))
    assert [param.name for param in create.params] == ["customer", "line_items", "id", "placed_at", "notes"]
    items = create.input_schema["properties"]["line_items"]
    assert items["type"] == "array"
    assert list(items["items"]["properties"]) == ["id", "sku", "quantity"]
    assert items["items"]["additionalProperties"] is False
    inner = get.output_schema["properties"]["line_items"]["items"]["properties"]
    assert list(inner) == ["id", "order", "sku", "quantity"]
    assert "line_items" in find.output_schema["properties"]["orders"]["items"]["properties"]
    assert get.returns == ("id", "customer", "placed_at", "line_items")
    assert [each.description for each in (get, create)] == [
        "Get an order by its id, with its line items.",
        "Create an order, with its line items and notes.",
    ]
    assert find.description.startswith("List orders, with their line items and notes, 1 at a time")


def test_a_record_may_stand_in_rows_of_its_own_kind(world_of):
    world = world_of("""
    services:
      a:
        records: { folder: { name: str, above: "ref[a.folder]?" } }
        seed: { folder: [{ name: top, above: null }, { name: one, above: "1" }, { name: two, above: "1" }] }
        operations: { get_folder: { kind: get, record: folder, include: [folders] } }
    """)
    assert [row["name"] for row in world.call("get_folder", {"id": "1"})["folders"]] == ["one", "two"]


BANK = """
services:
  bank:
    records:
      account: { holder: str, cards: int }
      transfer: { source: "ref[bank.account]", to: "ref[bank.account]" }
      card: { account: "ref[bank.account]" }
      branch: { city: str }
    seed: { account: 2, transfer: [{ source: "1", to: "2" }] }
    operations:
      get_account: { kind: get, record: account, include: [%s] }
"""


def test_which_field_refers_is_said_where_there_are_several(world_of):
    assert world_of(BANK % "transfers.source").call("get_account", {"id": "1"})["transfers"][0]["to"] == "2"
    assert world_of(BANK % "transfers.to").call("get_account", {"id": "1"})["transfers"] == []


@pytest.mark.parametrize(
    ("include", "message"),
    [
        (
            "transfers",
            "bank.transfer refers to bank.account in source and to\n    Write transfers.source or transfers.to.",
        ),
        (
            "transfrs",
            "'transfrs' is no record; did you mean 'transfers'?\n    Records that refer to account: transfers, cards.",
        ),
        ("transfers.form", "'transfers.form' is no record; did you mean 'transfers'?\n    Records that refer to"),
        (
            "branches",
            "bank.branch has no field that refers to bank.account\n    Write account: ref[bank.account] to have one.",
        ),
        ("branches.city", "bank.branch.city does not refer to bank.account\n    Write city: ref[bank.account]"),
        ("cards", "bank.account has a field 'cards' of its own, so that no rows can be included as 'cards'"),
    ],
)
def test_an_include_that_means_nothing_is_named(include, message, world_of):
    with pytest.raises(UsageError) as caught:
        world_of(BANK % include)
    assert str(caught.value).startswith(f"world.yaml:11:60: {message}")


def test_children_are_not_for_every_kind(world_of):
    with pytest.raises(UsageError, match="kind delete has no 'include'"):
        world_of((BANK % "transfers.to").replace("kind: get", "kind: delete"))
