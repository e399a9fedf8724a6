"""What the fields of a new row begin with, as a schema names it."""

from __future__ import annotations

import pytest

from squall.drafts.defaults import defaults
from squall.drafts.draft import FieldDraft, RecordDraft
from squall.drafts.schemas import Node, Schemas


def kept(declared, value, field="f"):
    record = RecordDraft("shop", "order", {field: FieldDraft(declared)})
    node = Node({"default": value}, ())
    return defaults(Schemas(node.schema, lambda _loc: None), [(field, node)], record).get(field)


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        ("str", "now"),
        ("str?", "true"),
        ("int[1..5]", 3),
        ("float[>0..]", 1.5),
        ("bool", False),
        ("enum[a, b]", "b"),
        ("date", "2025-06-01"),
    ],
)
def test_a_default_that_the_type_takes_is_kept(declared, value):
    assert kept(declared, value) == value


@pytest.mark.parametrize(
    ("declared", "value"),
    [
        ("int[1..5]", 0),
        ("int", "3"),
        ("float[>0..]", float("nan")),
        ("enum[a, b]", "c"),
        ("datetime", "now"),
        ("str", "x" * 101),
        ("str", None),
        ("str", {"a": 1}),
        ("list[str]", []),
        ("ref[shop.order]", "7"),
        ({"city": "str"}, {"city": "Oslo"}),
    ],
)
def test_any_other_is_left_out(declared, value):
    assert kept(declared, value) is None


def test_an_id_has_none():
    assert kept("str", "7", field="id") is None


def test_an_openapi_document_tells_them(loaded_from):
    order = (
        "{ required: [n, must], properties: { id: { type: string }, n: { type: integer, default: 9 }, "
        "state: { type: string, enum: [open, shut], default: open }, must: { type: string } } }"
    )
    body = "{ content: { application/json: { schema: { $ref: '#/components/schemas/Order' } } } }"
    drafted = loaded_from(
        "openapi: 3.0.0\npaths:\n  /orders:\n    get: { responses: {} }\n"
        f"    post: {{ operationId: place, requestBody: {body}, responses: {{ '200': {body} }} }}\n"
        f"components: {{ schemas: {{ Order: {order} }} }}\n"
    )
    assert drafted.draft.operations["place"].defaults == {"state": "open"}  # n has to be given
    assert drafted.world.call("place", {"n": 3, "must": "x"})["state"] == "open"


def test_a_field_that_is_not_sent_begins_as_what_is_answered_says(loaded_from):
    state = "state: { type: string, enum: [open, shut], default: open }"
    order = f"{{ properties: {{ id: {{ type: string }}, n: {{ type: integer }}, {state} }} }}"
    schema = "{ content: { application/json: { schema: SCHEMA } } }"
    sent = schema.replace("SCHEMA", "{ type: object, properties: { n: { type: integer, default: 2 } } }")
    answer = schema.replace("SCHEMA", "{ $ref: '#/components/schemas/Order' }")
    drafted = loaded_from(
        f"openapi: 3.0.0\npaths:\n  /orders/{{id}}: {{ get: {{ responses: {{ '200': {answer} }} }} }}\n"
        f"  /orders: {{ post: {{ operationId: place, requestBody: {sent}, responses: {{ '200': {answer} }} }} }}\n"
        f"components: {{ schemas: {{ Order: {order} }} }}\n"
    )
    assert drafted.draft.operations["place"].defaults == {"n": 2, "state": "open"}


def test_a_servers_tools_tell_them(of_tools):
    state = {"type": "string", "enum": ["open", "shut"]}
    order = {"type": "object", "properties": {"id": {"type": "string"}, "state": state}, "required": ["id", "state"]}
    takes = {"type": "object", "properties": {"state": {**state, "default": "open"}}}
    drafted = of_tools({"name": "create_order", "inputSchema": takes, "outputSchema": order})
    assert drafted.world.call("create_order", {})["state"] == "open"
