"""Single values: their types in a world, and in Python."""

from __future__ import annotations

import pytest

from squall.drafts.scalars import annotation, scalar
from squall.drafts.schemas import Node, Schemas
from squall.worlds.fields.typetext import parse


def shape_of(schema):
    return Schemas(schema, lambda _loc: None).shape(Node(schema, ()))


@pytest.mark.parametrize(
    ("schema", "text", "python"),
    [
        ({"type": "string"}, "str", "str"),
        ({"type": "string", "format": "email"}, "str(email)", "str"),
        ({"type": "string", "format": "uri"}, "str(url)", "str"),
        ({"type": "string", "format": "uuid"}, "str(uuid)", "str"),
        ({"type": "string", "format": "whatever"}, "str", "str"),
        ({"type": "string", "format": ["email"]}, "str", "str"),
        ({"type": "string", "format": "date"}, "date", "date"),
        ({"type": "string", "format": "date-time"}, "datetime", "datetime"),
        ({"type": "string", "format": "decimal"}, "decimal", "Decimal"),
        ({"type": "string", "pattern": r"^-?\d+(\.\d+)?$"}, "decimal", "Decimal"),
        ({"type": "string", "pattern": r"^[0-9]+\.[0-9]{2}$"}, "decimal", "Decimal"),
        ({"type": "string", "pattern": r"^\d+\.\d+\.\d+$"}, "str", "str"),
        ({"type": "string", "pattern": r"^\d{4}-\d{2}$"}, "str", "str"),
        ({"type": "string", "enum": ["a", "b c", "b c"]}, "enum[a, b c]", 'Literal["a", "b c", "b c"]'),
        ({"type": "string", "enum": ["a,b"]}, "str", "str"),
        ({"type": "string", "enum": ["", "a"]}, "str", "str"),
        ({"type": "string", "enum": ["]", "#", "'"]}, "str", "str"),
        ({"type": "string", "enum": ["a" * 101]}, "str", "str"),
        ({"type": "string", "enum": [f"m{n}" for n in range(41)]}, "str", "str"),
        ({"type": "boolean", "enum": [True]}, "bool", "bool"),
        ({"type": "integer"}, "int", "int"),
        ({"type": "integer", "minimum": 1}, "int[1..]", "int"),
        ({"type": "integer", "minimum": 1, "maximum": 9.5}, "int[1..9]", "int"),
        ({"type": "integer", "minimum": 1, "exclusiveMinimum": True, "maximum": 3}, "int[2..3]", "int"),
        ({"type": "integer", "exclusiveMinimum": 1, "exclusiveMaximum": 5}, "int[2..4]", "int"),
        ({"type": "integer", "minimum": 9, "maximum": 1}, "int", "int"),
        ({"type": "integer", "minimum": -(2**63), "maximum": 2**63}, "int", "int"),
        ({"type": "integer", "minimum": "1", "maximum": True}, "int", "int"),
        ({"type": "integer", "enum": [3, 1]}, "int[1..3]", "int"),
        ({"type": "number", "minimum": -1.5, "exclusiveMaximum": 2}, "float[-1.5..<2]", "float"),
        ({"type": "number", "exclusiveMinimum": 0}, "float[>0..]", "float"),
        ({"type": "number", "minimum": 0, "exclusiveMinimum": True}, "float[>0..]", "float"),
        ({"type": "number", "minimum": 0, "exclusiveMinimum": 0}, "float[>0..]", "float"),
        ({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}, "float[>0..<1]", "float"),
        ({"type": "number", "exclusiveMinimum": 1, "maximum": 1}, "float", "float"),
        ({"type": "number", "exclusiveMinimum": True}, "float", "float"),
        ({"type": "integer", "exclusiveMinimum": 0}, "int[1..]", "int"),
        ({"type": "integer", "exclusiveMinimum": 0.5, "minimum": 0, "exclusiveMaximum": 2.5}, "int[1..2]", "int"),
        ({"type": "integer", "minimum": 0.5}, "int[1..]", "int"),
        ({"type": "integer", "minimum": -1.5}, "int[-1..]", "int"),
        ({"type": "number", "minimum": 5, "exclusiveMinimum": 0}, "float[5..]", "float"),
        ({"type": "integer", "maximum": 5, "exclusiveMaximum": 9}, "int[..5]", "int"),
        ({"type": "number", "minimum": float("nan")}, "float", "float"),
        ({"type": "number", "format": "decimal", "minimum": 0}, "decimal[0..]", "float"),
        ({"type": "number", "format": "decimal", "exclusiveMaximum": 9.5}, "decimal[..<9.5]", "float"),
        ({}, "str", "Any"),
        ({"type": "object"}, "str", "dict[str, Any]"),
    ],
)
def test_a_value_has_a_type_that_worlds_understand(schema, text, python):
    shape = shape_of(schema)
    assert (scalar(shape)[0], annotation(shape)) == (text, python)
    assert parse(text, lambda _target: "str").text == text


@pytest.mark.parametrize(
    ("schema", "note"),
    [
        ({"type": "string", "enum": ["a,b", "c"]}, "one of a,b, c"),
        ({"type": "integer", "enum": [1, 5]}, "one of 1, 5"),
        ({"type": "number", "enum": [0.5]}, "one of 0.5"),
        ({"type": "string", "enum": [f"m {n}!" for n in range(10)]}, "m 7! and 2 more"),
        ({}, "any value in the original"),
    ],
)
def test_what_a_type_does_not_say_is_noted(schema, note):
    assert scalar(shape_of(schema))[1][0].endswith(note)
