"""Turns what a handler returned into JSON's own kinds: rows, lists, datetimes, decimals, enums, dataclasses, models.

Always a copy, so that nobody who holds an answer holds a part of the world. Knows no operation.
"""

from __future__ import annotations

import dataclasses
import enum
import math
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from squall.canonical import instant
from squall.errors import shown
from squall.worlds.fields.numeric import DIGITS
from squall.worlds.tables.rows import Row, origin, raw

_FLAT = (str, int, bool, type(None))


def ready(value: Any) -> Any:
    """`value` as JSON-ready data. Raises TypeError for what has no JSON form."""
    if type(value) in _FLAT:
        return value
    if isinstance(value, Row):
        table = origin(value)
        return (
            table.record.wire(raw(value)) if table is not None else {name: ready(v) for name, v in raw(value).items()}
        )
    if isinstance(value, float):
        if not math.isfinite(value):
            raise TypeError(f"{value} has no JSON form")
        return float(value)
    if isinstance(value, Mapping):
        return {_key(name): ready(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [ready(item) for item in value]
    return _other(value)


def _key(name: Any) -> str:
    if not isinstance(name, str):
        raise TypeError(f"{shown(name)} cannot be a key in JSON, where keys are texts")
    return str(name)


def _other(value: Any) -> Any:
    if isinstance(value, enum.Enum):
        return ready(value.value)
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise TypeError(f"{value} has no JSON form")
        return f"{value:f}" if abs(value.adjusted()) <= DIGITS else str(value)
    if isinstance(value, str | int):
        return str.__str__(value) if isinstance(value, str) else int(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {part.name: ready(getattr(value, part.name)) for part in dataclasses.fields(value)}
    if hasattr(value, "model_dump"):
        return ready(value.model_dump())
    raise TypeError(f"{shown(value)} of type {type(value).__name__} has no JSON form")
