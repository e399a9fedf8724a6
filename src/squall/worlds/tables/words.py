"""Values as people read them in messages: `240`, `2025-06-01T12:00:00Z`, `'delivered'`. Knows no row and no table."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from squall.canonical import instant
from squall.errors import shown

LONG = 60
"""Decimals of more digits are cut, or left in their short form."""


def said(value: Any) -> str:
    """`repr`, but for moments (ISO 8601) and exact numbers (their digits), also inside mappings and lists."""
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, Decimal):
        return f"{value:f}" if value.is_finite() and abs(value.adjusted()) < LONG else str(value)
    if type(value) is dict:
        return "{" + ", ".join(f"{name!r}: {said(item)}" for name, item in value.items()) + "}"
    if type(value) is list:
        return "[" + ", ".join(map(said, value)) + "]"
    if type(value) is tuple:
        return "(" + ", ".join(map(said, value)) + ("," if len(value) == 1 else "") + ")"
    if type(value) in (str, int, float, bool, type(None)):
        return repr(value)
    return shown(value, 1_000)


def brief(value: Any) -> str:
    """The same, with long texts cut."""
    return shown(value) if isinstance(value, str) else said(value)


def fields(values: dict[str, Any], unquoted: Collection[str] = ()) -> str:
    """The fields of a row in its wire form; `unquoted` are texts that stand for moments and exact numbers."""
    inner = (f"{name!r}: {_field(name, value, unquoted)}" for name, value in values.items())
    return "{" + ", ".join(inner) + "}"


def changes(pairs: dict[str, tuple[Any, Any]], unquoted: Collection[str] = ()) -> str:
    """What fields were before and are after: `status 'placed' → 'delivered', total 40 → 35`."""
    return ", ".join(
        f"{name} {_field(name, old, unquoted)} → {_field(name, new, unquoted)}" for name, (old, new) in pairs.items()
    )


def _field(name: str, value: Any, unquoted: Collection[str]) -> str:
    return value if name in unquoted and isinstance(value, str) else said(value)
