"""What drafted lists can be asked for beside equal fields."""

from __future__ import annotations

import pytest

from squall.drafts.draft import FieldDraft, RecordDraft
from squall.drafts.listing import comparison, orders
from squall.drafts.schemas import Node, Schemas

TYPES = {
    "id": "str",
    "total": "decimal[>0..]?",
    "status": "enum[open, shut]",
    "placed_at": "datetime",
    "name": "str",
    "tags": "list[str]",
    "customer": "ref[shop.customer]",
}
ORDER = RecordDraft("shop", "order", {name: FieldDraft(text) for name, text in TYPES.items()})
ORDER.fields["size"] = FieldDraft({"w": "int"})
MANY = {"type": "array", "items": {"type": "string"}}


def asked(find, given, schema=None):
    node = Node(schema or {"type": "string"}, ())
    return find(Schemas(node.schema, lambda _loc: None), ORDER, given, node)


@pytest.mark.parametrize(
    ("given", "schema", "meant"),
    [
        ("total_gte", {"type": "number"}, "total.gte"),
        ("placed_at_lt", {"type": "string", "format": "date-time"}, "placed_at.lt"),
        ("status_in", MANY, "status.in"),
        ("customer_in", MANY, "customer.in"),
        ("name_contains", None, "name.contains"),
        ("tags_contains", None, "tags.contains"),
        ("status_in", None, None),  # open,shut in a text
        ("status_gt", None, None),
        ("total_contains", None, None),
        ("total_gte", MANY, None),
        ("total_above", None, None),
        ("price_gte", None, None),
        ("size_gte", None, None),
        ("gte", None, None),
        ("limit", None, None),
    ],
)
def test_an_argument_is_a_comparison_where_the_field_can_be_compared_so(given, schema, meant):
    assert asked(comparison, given, schema) == meant


@pytest.mark.parametrize(
    ("given", "offered", "meant"),
    [
        ("sort", ["placed_at", "-total", "-total"], ("placed_at", "-total")),
        ("sort", ["placed_at", "-price"], ()),
        ("sort", ["tags"], ()),
        ("sort", ["asc", None], ()),
        ("sort", [1], ()),
        ("order", ["placed_at"], ()),
    ],
)
def test_the_argument_sort_offers_orders_where_all_are_fields(given, offered, meant):
    assert asked(orders, given, {"type": "string", "enum": offered}) == meant


def test_an_openapi_document_tells_what_a_list_can_be_asked_for(loaded_from):
    order = "{ properties: { id: { type: string }, total: { type: number }, name: { type: string } } }"
    given = (
        "{ name: total_gte, in: query, schema: { type: number } }, { name: name, in: query }, "
        "{ name: sort, in: query, schema: { type: string, enum: [name, -total] } }, { name: limit, in: query }"
    )
    answer = "{ type: array, items: { $ref: '#/components/schemas/Order' } }"
    drafted = loaded_from(
        f"openapi: 3.0.0\npaths:\n  /orders:\n    get:\n      operationId: list_orders\n      parameters: [{given}]\n"
        f"      responses: {{ '200': {{ content: {{ application/json: {{ schema: {answer} }} }} }} }}\n"
        f"components: {{ schemas: {{ Order: {order} }} }}\n"
    )
    listed = drafted.draft.operations["list_orders"]
    assert (listed.filter, listed.sort) == (("total.gte", "name"), ("name", "-total"))
    assert "# list_orders: the original also takes limit\n" in drafted.text
    totals = [row["total"] for row in drafted.world.call("list_orders", {"total_gte": 1, "sort": "-total"})]
    assert totals == sorted(totals, reverse=True)


def test_a_world_that_is_served_comes_back_with_its_lists(of_tools, world_of_tools):
    drafted = of_tools(*world_of_tools)
    listed = drafted.draft.operations["list_orders"]
    assert set(listed.filter) == {"status", "total.gte", "status.in", "name.contains"}
    assert listed.sort == ("name", "-total")
    assert "also takes" not in drafted.text
