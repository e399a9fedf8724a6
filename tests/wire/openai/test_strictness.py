"""A strict schema closes each of its objects and requires all their properties, however deep."""

from __future__ import annotations

import pytest

from squall.wire.openai.strictness import objections

CLOSED = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}
OPEN = {"type": "object", "properties": {}}


def holding(inner):
    return {"type": "object", "properties": {"x": inner}, "required": ["x"], "additionalProperties": False}


@pytest.mark.parametrize(
    "schema",
    [CLOSED, holding(CLOSED), holding({"type": "array", "items": CLOSED}), {"foo": "bar"}, {"anyOf": [CLOSED, True]}],
)
def test_a_schema_that_is_closed_everywhere_meets_no_objection(schema):
    assert list(objections(schema)) == []


@pytest.mark.parametrize(
    ("schema", "where"),
    [
        (OPEN, "()"),
        (holding(OPEN), "('properties', 'x')"),
        (holding({"type": "array", "items": OPEN}), "('properties', 'x', 'items')"),
        (holding({"anyOf": [CLOSED, OPEN]}), "('properties', 'x', 'anyOf', '1')"),
        ({**CLOSED, "$defs": {"thing": OPEN}}, "('$defs', 'thing')"),
    ],
)
def test_an_open_object_is_named_by_the_way_to_it(schema, where):
    assert [f"context={where}, 'additionalProperties'" in text for text in objections(schema)] == [True]


def test_a_property_that_is_not_required_is_named():
    assert "'a' is not among them" in next(objections({**CLOSED, "required": []}))


def test_a_schema_without_an_end_in_sight_is_refused():
    schema: dict[str, object] = {}
    for _ in range(500):
        schema = {"items": schema}
    assert list(objections(schema)) == ["It is nested too deeply."]


def test_what_is_no_list_of_names_requires_nothing():
    assert "'a' is not among them" in next(objections({**CLOSED, "required": "a"}))
