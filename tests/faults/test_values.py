"""Whether an argument can have a value, `faults/values.py`."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.faults.values import wrong_with

TEXT = {"type": "string"}
COUNT = {"type": "integer", "minimum": 1, "maximum": 10}
PRICE = {"type": "number", "exclusiveMinimum": 0.0, "exclusiveMaximum": 99.5}
STATUS = {"type": "string", "enum": ["placed", "shipped"]}
MAYBE = {"type": ["string", "null"], "enum": ["placed", "shipped", None]}
DECIMAL = {"type": "string", "pattern": r"^-?\d+(\.\d+)?$", "description": "a decimal number as text"}
PYDANTICS_DECIMAL = {"anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$"}]}
MOMENT = {"type": "string", "format": "date-time"}
DAY = {"type": "string", "format": "date"}
TRUTH = {"type": "boolean"}
TAGS = {"type": "array", "items": TEXT, "minItems": 1, "maxItems": 2}
PLACE = {
    "type": "object",
    "properties": {"city": TEXT, "no": COUNT},
    "required": ["city"],
    "additionalProperties": False,
}
CODE = {"type": "string", "minLength": 2, "maxLength": 3, "pattern": "^[A-Z]+$"}
REFERRING = {"$ref": "#/$defs/Place", "$defs": {"Place": PLACE}}
EITHER = {"anyOf": [STATUS, {"type": "null"}]}
UNION = {"oneOf": [{"type": "array", "items": TEXT}, COUNT]}
BOTH = {"allOf": [COUNT, {"type": "integer", "minimum": 5}]}
LOOP = {"$ref": "#/$defs/A", "$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}]}}}


@pytest.mark.parametrize(
    ("value", "schema"),
    [
        ("7", TEXT),
        ("", TEXT),
        (1, COUNT),
        (10.0, COUNT),
        (0.5, PRICE),
        (Decimal("0.5"), PRICE),
        ("shipped", STATUS),
        (None, MAYBE),
        ("12.50", DECIMAL),
        (12.5, DECIMAL),
        (12.5, PYDANTICS_DECIMAL),
        ("12.50", PYDANTICS_DECIMAL),
        ("2025-06-01T12:00:00Z", MOMENT),
        ("2025-06-01", MOMENT),
        (datetime(2025, 6, 1, tzinfo=UTC), MOMENT),
        ("2025-06-01", DAY),
        (date(2025, 6, 1), DAY),
        (True, TRUTH),
        (["a", "b"], TAGS),
        (("a",), TAGS),
        ({"city": "Bonn", "no": 3}, PLACE),
        ({"city": "Bonn"}, REFERRING),
        ("ABC", CODE),
        (None, EITHER),
        ("placed", EITHER),
        (["a"], UNION),
        (3, UNION),
        (5, BOTH),
        ("anything", LOOP),
        ("x", {"type": "string", "pattern": "(?<never"}),
        ([1], {"type": "array"}),
        ([1], {"type": "array", "items": True}),
        ("b", {"const": "b"}),
        (5, {}),
        (5, {"$ref": "#/$defs/Nothing"}),
        (5, {"type": "something new"}),
    ],
)
def test_a_value_that_the_argument_can_have_is_not_refused(value, schema):
    assert wrong_with(value, schema) is None


QUOTES = "Put it in quotes."
A_LIST = "A list here is a choice of values; write one that is a list itself within it: [['7']]."
CODES = "is text at least 2 long and at most 3 long that matches ^[A-Z]+$"


@pytest.mark.parametrize(
    ("value", "schema", "said"),
    [
        (7, TEXT, ("", "is text, and 7 is a number", "7", QUOTES)),
        (True, TEXT, ("", "is text, and True is a boolean", "true", QUOTES)),
        (None, TEXT, ("", "is text, and null is not", None, None)),
        ({"a": 1}, TEXT, ("", "is text, and {'a': 1} is a mapping", None, None)),
        ("7", COUNT, ("", "is a whole number from 1 to 10, and '7' is text", None, "Write 7, without quotes.")),
        ("77", COUNT, ("", "is a whole number from 1 to 10, and '77' is text", None, None)),
        ("9" * 5000, COUNT, None),
        (11, COUNT, ("", "is a whole number from 1 to 10, and 11 is not", None, None)),
        (0, COUNT, ("", "is a whole number from 1 to 10, and 0 is not", None, None)),
        (3.5, COUNT, ("", "is a whole number from 1 to 10, and 3.5 is not", None, None)),
        (True, COUNT, ("", "is a whole number from 1 to 10, and True is a boolean", None, None)),
        (0, PRICE, ("", "is a number above 0 below 99.5, and 0 is not", None, None)),
        (99.5, PRICE, ("", "is a number above 0 below 99.5, and 99.5 is not", None, None)),
        ("plced", STATUS, ("", "is one of placed, shipped, and 'plced' is not", "placed", None)),
        (7, STATUS, ("", "is one of placed, shipped, and 7 is not", None, None)),
        ("gone", MAYBE, ("", "is one of placed, shipped, null, and 'gone' is not", None, None)),
        ("12,5", DECIMAL, ("", "is a decimal number, and '12,5' is not", None, None)),
        (True, DECIMAL, ("", "is a decimal number, and True is a boolean", None, None)),
        ("x", PYDANTICS_DECIMAL, ("", "is a decimal number, and 'x' is not", None, None)),
        ("soon", MOMENT, ("", "is a date and time such as 2025-06-01T12:00:00Z, and 'soon' is not", None, None)),
        (5, MOMENT, ("", "is a date and time such as 2025-06-01T12:00:00Z, and 5 is a number", None, None)),
        ("20250601", DAY, ("", "is a date such as 2025-06-01, and '20250601' is not", "2025-06-01", None)),
        ("1.6.2025", DAY, ("", "is a date such as 2025-06-01, and '1.6.2025' is not", None, None)),
        ("True", TRUTH, ("", "is true or false, and 'True' is text", None, "Write true, without quotes.")),
        (1, TRUTH, ("", "is true or false, and 1 is a number", None, None)),
        (["a", 1], TAGS, ("[1]", "is text, and 1 is a number", "1", QUOTES)),
        ([], TAGS, ("", "is a list at least 1 long and at most 2 long, and [] is not", None, None)),
        (["a"] * 3, TAGS, ("", "is a list at least 1 long and at most 2 long, and ['a', 'a', 'a'] is not", None, None)),
        ({"cty": "x"}, PLACE, ("", "has no 'cty'; it has city, no", "city", None)),
        ({"city": "x", "no": 99}, PLACE, (".no", "is a whole number from 1 to 10, and 99 is not", None, None)),
        ({"city": 5}, REFERRING, (".city", "is text, and 5 is a number", "5", QUOTES)),
        (5, REFERRING, ("", "is a mapping, and 5 is a number", None, None)),
        ("A", CODE, ("", f"{CODES}, and 'A' is not", None, None)),
        ("abc", CODE, ("", f"{CODES}, and 'abc' is not", None, None)),
        ("plcd", EITHER, ("", "is one of placed, shipped, and 'plcd' is not", "placed", None)),
        ([1], UNION, ("[0]", "is text, and 1 is a number", "1", QUOTES)),
        (11, UNION, ("", "is a whole number from 1 to 10, and 11 is not", None, None)),
        ("7", UNION, ("", "is a list or a whole number from 1 to 10, and '7' is not", None, A_LIST)),
        (3, BOTH, ("", "is a whole number from 5, and 3 is not", None, None)),
        ("a", {"const": "b"}, ("", "is 'b', and 'a' is not", None, None)),
        (object, TEXT, ("", f"is text, and {object!r} is something else", None, None)),
    ],
)  # fmt: skip
def test_one_that_it_cannot_have_is_told_with_what_it_is_and_what_was_meant(value, schema, said):
    found = wrong_with(value, schema)
    assert found is not None
    if said is not None:
        assert (found.spot, found.why, found.nearest, found.hint) == said


def test_a_single_value_for_a_list_is_told_how_a_list_is_written():
    found = wrong_with("a", TAGS)
    assert found is not None
    assert found.why.endswith("and 'a' is text")
    assert found.hint == "A list here is a choice of values; write one that is a list itself within it: [['a']]."


def test_a_mapping_is_compared_as_a_whole_and_so_lacks_nothing():
    found = wrong_with({"no": 3}, PLACE)
    assert found is not None
    assert found.why == "always has 'city', and {'no': 3} has none"
    assert found.hint == "Values are compared as a whole."


@given(
    st.integers() | st.floats() | st.text(max_size=3) | st.booleans() | st.none() | st.lists(st.integers(), max_size=2)
)
def test_no_value_and_no_schema_are_too_odd(value):
    for schema in (TEXT, COUNT, PRICE, MAYBE, DECIMAL, MOMENT, DAY, TAGS, PLACE, CODE, REFERRING, UNION, BOTH, LOOP):
        found = wrong_with(value, schema)
        assert found is None or found.why
