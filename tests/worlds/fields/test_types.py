from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.worlds.fields.types import FieldType, Unfit, nullable
from squall.worlds.fields.typetext import parse


class Shelf:
    """Knows the rows of people.customer."""

    def __init__(self, *ids):
        self.ids = ids

    def has(self, target, key):
        return target == "people.customer" and key in self.ids

    def near(self, target, key):
        return self.ids[0] if self.ids else None


def kind(declared, key="str"):
    return parse(declared, lambda target: key)


@pytest.mark.parametrize(
    ("declared", "value", "stored"),
    [
        ("str", "x", "x"),
        ("int", 3, 3),
        ("int", 3.0, 3),
        ("float", 3, 3.0),
        ("float", Decimal("1.5"), 1.5),
        ("bool", True, True),
        ("datetime", "2025-06-01T12:00:00Z", datetime(2025, 6, 1, 12, tzinfo=UTC)),
        ("datetime", "2025-06-01T12:00:00", datetime(2025, 6, 1, 12, tzinfo=UTC)),
        (
            "datetime",
            datetime(2025, 6, 1, 12, tzinfo=timezone(timedelta(hours=2))),
            datetime(2025, 6, 1, 10, tzinfo=UTC),
        ),
        ("date", "2025-06-01", date(2025, 6, 1)),
        ("date", date(2025, 6, 1), date(2025, 6, 1)),
        ("decimal", "10.50", Decimal("10.50")),
        ("decimal", 0.1, Decimal("0.1")),
        ("decimal", 3, Decimal(3)),
        ("decimal[>0..<1]", "0.01", Decimal("0.01")),
        ("float[>0..<1]", 0.999, 0.999),
        ("enum[a, b]", "b", "b"),
        ("ref[people.customer]", "7", "7"),
        ("list[int]", [1, 2], [1, 2]),
        ("list[int]", (1, 2), [1, 2]),
        ("str?", None, None),
        ({"city": "str", "zip": "str"}, {"city": "Oslo"}, {"city": "Oslo", "zip": None}),
        ([{"sku": "str"}], [{"sku": "A"}], [{"sku": "A"}]),
    ],
)
def test_a_value_that_fits_is_stored_in_its_own_form(declared, value, stored):
    found = kind(declared).check(value)
    assert found == stored
    assert type(found) is type(stored)


@pytest.mark.parametrize(
    ("declared", "value", "message"),
    [
        ("str", 3, "f: 3 is not a string"),
        ("str", None, "f: null is not a string"),
        ("int", True, "f: True is not a whole number"),
        ("int", 1.5, "f: 1.5 is not a whole number"),
        ("int", "3", "f: '3' is not a whole number"),
        ("int", float("nan"), "f: nan is not a whole number"),
        ("int", float("inf"), "f: inf is not a whole number"),
        ("int[1..10]", 11, "f: 11 is not in 1..10"),
        ("int[1..]", 0, "f: 0 is not in 1.."),
        ("float", "x", "f: 'x' is not a number"),
        ("float", float("inf"), "f: inf is not a number"),
        ("float[..5]", 6, "f: 6 is not in ..5.0"),
        ("float[>0..]", 0, "f: 0 is not in >0.0.."),
        ("float[0..<1]", 1.0, "f: 1.0 is not in 0.0..<1.0"),
        ("int[>0..]", 0, "f: 0 is not in 1.."),
        ("decimal[>0..<1]", "0.00", "f: 0.00 is not in >0..<1"),
        ("decimal[>0..<1]", "1", "f: 1 is not in >0..<1"),
        ("float", 10**400, "that a float can hold"),
        ("float", Decimal("1e999"), "f: Decimal('1E+999') is not a number that a float can hold"),
        ("float", Decimal("NaN"), "f: Decimal('NaN') is not a number"),
        ("float", Decimal("sNaN"), "f: Decimal('sNaN') is not a number"),
        ("int", 10**2000, "f: a whole number has at most 1000 digits"),
        ("int[1..10]", 10**900, "is not in 1..10"),
        ("decimal", 10**2000, "is not a decimal number of at most 1000 digits on either side"),
        ("datetime", "9999-12-31T23:59:59-12:00", "is not within the years 1 to 9999 in UTC"),
        ("datetime", "0001-01-01T00:00:00+14:00", "is not within the years 1 to 9999 in UTC"),
        ("bool", 1, "f: 1 is not true or false"),
        ("datetime", "yesterday", "f: 'yesterday' is not a date and time such as 2025-06-01T12:00:00Z"),
        ("datetime", 5, "f: 5 is not a date and time such as 2025-06-01T12:00:00Z"),
        ("date", "soon", "f: 'soon' is not a date such as 2025-06-01"),
        ("date", datetime(2025, 6, 1, tzinfo=UTC), "is not a date such as"),
        ("decimal", "ten", "f: 'ten' is not a decimal number"),
        ("decimal", "NaN", "f: 'NaN' is not a decimal number"),
        ("decimal", None, "f: null is not a decimal number"),
        ("decimal[0..1]", "2", "f: 2 is not in 0..1"),
        ("enum[placed, sent]", "placd", "f: 'placd' is not one of placed, sent; did you mean 'placed'?"),
        ("enum[placed, sent]", None, "f: null is not one of placed, sent"),
        ("ref[people.customer]", 7, "f: 7 is not the id of a customer (a string)"),
        ("list[int]", "12", "f: '12' is not a list"),
        ("list[int]", [1, "x"], "f[1]: 'x' is not a whole number"),
        ({"city": "str"}, "Oslo", "f: 'Oslo' is not a mapping of city"),
        ({"city": "str"}, {"cty": "Oslo"}, "f: unknown field 'cty'; there are city; did you mean 'city'?"),
        ({"at": {"city": "str"}}, {"at": {"city": 1}}, "f.at.city: 1 is not a string"),
    ],
)
def test_a_value_that_does_not_fit_says_why(declared, value, message):
    with pytest.raises(Unfit) as caught:
        kind(declared).check(value)
    assert message in caught.value.said("f")


def test_a_reference_is_looked_up_where_rows_are_known():
    reference = kind("ref[people.customer]")
    assert reference.check("1", Shelf("1")) == "1"
    with pytest.raises(Unfit) as caught:
        reference.check("2", Shelf("1"))
    assert caught.value.said("c") == "c: there is no customer with id '2'; did you mean '1'?"
    assert caught.value.ref


def test_references_inside_lists_and_mappings_are_looked_up_too():
    with pytest.raises(Unfit) as caught:
        kind({"by": "list[ref[people.customer]]"}).check({"by": ["1", "2"]}, Shelf("1"))
    assert caught.value.said("f").startswith("f.by[1]: there is no customer with id '2'")


def test_references_to_numbered_rows_are_numbers():
    reference = kind("ref[people.customer]", key="int")
    assert reference.check(7) == 7
    assert reference.schema()["type"] == "integer"
    with pytest.raises(Unfit, match="a whole number"):
        reference.check("7")


@pytest.mark.parametrize(
    ("declared", "stored", "wire"),
    [
        ("datetime", datetime(2025, 6, 1, 12, tzinfo=UTC), "2025-06-01T12:00:00Z"),
        ("datetime", datetime(2025, 6, 1, 12, 0, 0, 5, tzinfo=UTC), "2025-06-01T12:00:00.000005Z"),
        ("date", date(2025, 6, 1), "2025-06-01"),
        ("decimal", Decimal("10.50"), "10.50"),
        ("datetime?", None, None),
        ("list[date]", [date(2025, 6, 1)], ["2025-06-01"]),
        ({"at": "date"}, {"at": date(2025, 6, 1)}, {"at": "2025-06-01"}),
        ("int", 3, 3),
    ],
)
def test_the_wire_form_is_json(declared, stored, wire):
    assert kind(declared).wire(stored) == wire


def test_only_types_whose_stored_form_is_json_and_immutable_are_plain():
    assert all(kind(text).plain for text in ("str", "int", "float?", "bool", "enum[a]", "ref[people.customer]"))
    assert not any(kind(text).plain for text in ("datetime", "date", "decimal", "list[str]", {"a": "str"}))


@pytest.mark.parametrize(
    ("declared", "schema"),
    [
        ("str", {"type": "string"}),
        ("str?", {"type": ["string", "null"]}),
        ("int[1..10]", {"type": "integer", "minimum": 1, "maximum": 10}),
        ("float[5..]", {"type": "number", "minimum": 5.0}),
        ("bool", {"type": "boolean"}),
        ("datetime", {"type": "string", "format": "date-time"}),
        ("date", {"type": "string", "format": "date"}),
        ("enum[a, b]", {"type": "string", "enum": ["a", "b"]}),
        ("enum[a, b]?", {"type": ["string", "null"], "enum": ["a", "b", None]}),
        ("ref[people.customer]", {"type": "string", "description": "the id of a customer"}),
        ("list[int]", {"type": "array", "items": {"type": "integer"}}),
        (
            {"city": "str"},
            {"type": "object", "properties": {"city": {"type": "string"}}, "additionalProperties": False},
        ),
    ],
)
def test_the_schema_tells_enums_ranges_and_what_a_reference_is(declared, schema):
    assert kind(declared).schema() == schema


def test_a_type_of_ones_own_must_say_what_it_takes():
    with pytest.raises(NotImplementedError):
        FieldType("own").check("x")
    with pytest.raises(NotImplementedError):
        FieldType("own").schema()


def test_anything_may_be_null_in_a_schema_that_says_nothing():
    assert nullable({}) == {}
    assert nullable({"$ref": "#/x"}) == {"anyOf": [{"$ref": "#/x"}, {"type": "null"}]}


@given(st.datetimes(timezones=st.just(UTC)))
def test_a_moment_survives_the_wire(moment):
    assert kind("datetime").check(kind("datetime").wire(moment)) == moment


@given(st.decimals(allow_nan=False, allow_infinity=False))
def test_a_decimal_survives_the_wire_digit_by_digit(number):
    stored = kind("decimal").check(kind("decimal").wire(number))
    assert stored.as_tuple() == number.as_tuple()
