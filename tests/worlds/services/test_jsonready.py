from __future__ import annotations

import enum
import json
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal

import pytest
from pydantic import BaseModel

from squall.worlds.services.jsonready import ready
from squall.worlds.tables.rows import Row


class Colour(enum.Enum):
    RED = "red"


class Number(enum.IntEnum):
    ONE = 1


class Name(str):
    __slots__ = ()


@dataclass
class Point:
    x: Decimal


class Model(BaseModel):
    at: datetime


WHEN = datetime(2025, 6, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, None),
        (True, True),
        (1.5, 1.5),
        (WHEN, "2025-06-01T12:00:00Z"),
        (date(2025, 6, 1), "2025-06-01"),
        (Decimal("1.50"), "1.50"),
        (Colour.RED, "red"),
        (Number.ONE, 1),
        (Name("x"), "x"),
        (Point(Decimal(1)), {"x": "1"}),
        (Model(at=WHEN), {"at": "2025-06-01T12:00:00Z"}),
        ((1, [WHEN]), [1, ["2025-06-01T12:00:00Z"]]),
        (Row({"at": WHEN}), {"at": "2025-06-01T12:00:00Z"}),
    ],
)
def test_what_a_handler_may_return_becomes_json(value, expected):
    found = ready({"value": value})["value"]
    assert found == expected
    assert json.loads(json.dumps(found)) == expected


def test_rows_of_a_table_go_out_in_their_wire_form(shop):
    assert ready([shop.orders["7"]]) == [shop.snapshot()["orders.order"]["7"]]


@pytest.mark.parametrize("value", [{1: 2}, {1, 2}, object(), float("nan"), Decimal("NaN"), Point, b"x"])
def test_what_has_no_json_form_is_named(value):
    with pytest.raises(TypeError, match=r"no JSON form|cannot be a key"):
        ready([value])
