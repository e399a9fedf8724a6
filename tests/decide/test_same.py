"""Whether an argument is what a rule names, `decide/same.py`."""

from __future__ import annotations

import enum
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import pytest

from squall.decide.same import branches, meaning, moment, number, same

NOON = datetime(2025, 6, 1, 12, tzinfo=UTC)
MOMENT = {"type": "string", "format": "date-time"}
DECIMAL = {"type": "string", "pattern": r"^-?\d+(\.\d+)?$"}
PYDANTICS_DECIMAL = {
    "anyOf": [{"type": "number"}, {"type": "string", "pattern": r"^(?!^[-+.]*$)[+-]?0*\d*\.?\d*$"}, {"type": "null"}]
}
DIGITS = {"type": "string", "pattern": r"^\d+$"}


class Status(enum.Enum):
    PLACED = "placed"


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        ("7", "7"),
        (1, 1),
        (1, 1.0),
        (1.0, 1),
        (True, True),
        (False, False),
        (None, None),
        ([1, [True]], [1.0, [True]]),
        ((1, 2), [1, 2]),
        ([1, 2], (1, 2)),
        ({"a": [1]}, {"a": [1.0]}),
        (Status.PLACED, "placed"),
        ([Status.PLACED], ["placed"]),
        (Decimal("12.50"), "12.5"),
        (Decimal("0.1"), 0.1),
        (0.1, Decimal("0.1")),
        (12, Decimal(12)),
        (NOON, "2025-06-01T12:00:00Z"),
        (NOON, "2025-06-01T14:00:00+02:00"),
        (NOON.replace(tzinfo=None), "2025-06-01T12:00:00Z"),
        ("2025-06-01T12:00:00Z", NOON),
        (NOON, NOON.astimezone(timezone(timedelta(hours=-7)))),
        (date(2025, 6, 1), "2025-06-01"),
        ("2025-06-01", date(2025, 6, 1)),
        ([10**5000], [10**5000]),
    ],
)
def test_what_json_holds_equal_is_the_same(given, wanted):
    assert same(given, wanted)


@pytest.mark.parametrize(
    ("given", "wanted"),
    [
        (7, "7"),
        ("7", 7),
        (True, 1),
        (1, True),
        (False, 0),
        (0, False),
        ("true", True),
        (None, 0),
        (None, "None"),
        ("", None),
        ([1], 1),
        (1, [1]),
        ([1], [True]),
        ([1, 2], [1]),
        ({"a": 1}, {"a": True}),
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": 1}, {"b": 1}),
        ({}, []),
        ("[1]", [1]),
        (Decimal("sNaN"), "1"),
        (Decimal("sNaN"), Decimal("sNaN")),
        (Decimal(1), True),
        (NOON, "noon"),
        (NOON, "2025-06-01T12:00:01Z"),
        (date(2025, 6, 1), "2025-06-02"),
        ("007", "7"),
        ("12.50", "12.5"),
        ("2025-06-01T12:00:00Z", "2025-06-01T12:00:00+00:00"),
        (object(), "x"),
        ({1}, [1]),
    ],
)
def test_what_json_tells_apart_is_not(given, wanted):
    assert not same(given, wanted)


@pytest.mark.parametrize(
    ("given", "wanted", "schema", "equal"),
    [
        ("12.5", "12.50", DECIMAL, True),
        (12.5, "12.50", DECIMAL, True),
        ("12.50", 12.5, DECIMAL, True),
        ("12.50", 12.5, PYDANTICS_DECIMAL, True),
        ("12.51", "12.50", DECIMAL, False),
        (True, "1", DECIMAL, False),
        (None, None, PYDANTICS_DECIMAL, True),
        ("x", "x", DECIMAL, True),
        ("007", "7", DIGITS, False),
        ("2025-06-01T14:00:00+02:00", "2025-06-01T12:00:00Z", MOMENT, True),
        ("2025-06-01T12:00:00", "2025-06-01T12:00:00.000Z", MOMENT, True),
        ("2025-06-01T12:00:00Z", "2025-06-01T13:00:00Z", MOMENT, False),
        ("soon", "soon", {"anyOf": [MOMENT, {"type": "string"}]}, True),
        (["12.5"], ["12.50"], {"type": "array", "items": DECIMAL}, True),
        ({"at": NOON}, {"at": "2025-06-01T12:00Z"}, {"type": "object", "properties": {"at": MOMENT}}, True),
        ({"n": "1"}, {"n": "1.0"}, {"$ref": "#/$defs/A", "$defs": {"A": {"properties": {"n": DECIMAL}}}}, True),
        ({"n": "1"}, {"n": "1.0"}, {"$ref": "#/$defs/B", "$defs": {"A": {"properties": {"n": DECIMAL}}}}, False),
        (["1"], ["1.0"], {"type": "array", "items": True}, False),
        ("1", "1.0", {"type": "string", "pattern": "(?<never"}, False),
    ],
)
def test_text_that_means_more_is_compared_by_what_it_means(given, wanted, schema, equal):
    assert same(given, wanted, schema) is equal


def test_a_schema_that_refers_to_itself_is_read_once():
    schema = {"$ref": "#", "anyOf": [{"$ref": "#"}, MOMENT]}
    assert len(branches(schema, schema)) == 3
    assert meaning(schema, schema) is moment


@pytest.mark.parametrize("value", ["x", "", "nan", "inf", True, None, [1]])
def test_what_is_no_finite_number_is_none(value):
    assert number(value) is None


@pytest.mark.parametrize("value", ["x", "", "25:00", 5, None, date(2025, 6, 1)])
def test_what_is_no_moment_is_none(value):
    assert moment(value) is None
