"""What to say when no row fits: the rows that come nearest, and wherein they differ.

Knows stored rows and the words for them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from squall.errors import shown
from squall.worlds.naming import article
from squall.worlds.tables import words
from squall.worlds.tables.records import Record

MANY = 1_000
"""Beyond so many rows nobody searches them for something alike."""
NEAREST = 3


def named(record: Record, key: Any) -> str:
    """`an order with id '7'`."""
    return f"{article(record.short)} with id {shown(key)}"


def explain(record: Record, conditions: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> tuple[str, str]:
    """That none of `rows` meets `conditions`: in short, and the rows that meet most of them."""
    brief = f"there is no {record.short} with {', '.join(f'{name} {words.brief(v)}' for name, v in conditions.items())}"
    if not conditions:
        brief = f"there is no {record.short}"
    if not rows:
        return brief, f"; {record.name} has no rows"
    ranked = sorted(rows, key=lambda row: -sum(row[name] == value for name, value in conditions.items()))
    lines = [f"; nearest of {len(rows)} row{'s' if len(rows) > 1 else ''}:"]
    for row in ranked[:NEAREST]:
        fields = ", ".join(f"{name} {words.brief(row[name])}" for name in conditions if name != "id")
        lines.append(f"    id {shown(row['id'])}: {fields}" if fields else f"    id {shown(row['id'])}")
    return brief, "\n".join(lines)
