"""What the fields of a new row begin with: the `default` that a schema names, where the field's type takes it.

Plain values alone: no lists, no objects, and nothing that refers to a row. Knows neither paths nor tools.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from squall.drafts.draft import RecordDraft, is_plain
from squall.drafts.schemas import Node, Schemas
from squall.worlds.fields.types import Unfit
from squall.worlds.fields.typetext import parse

LONGEST = 100
"""Characters of a text that is kept."""


def defaults(schemas: Schemas, given: Iterable[tuple[str, Node]], record: RecordDraft) -> Mapping[str, Any]:
    """By field of `record`, what it begins with. `given` are fields, each with the schema of what is sent for it."""
    found: dict[str, Any] = {}
    for field, node in given:
        value = schemas.shape(node).facts.get("default")
        if value is not None and field != "id" and _fits(value, field, record):
            found.setdefault(field, value)
    return found


def _fits(value: Any, field: str, record: RecordDraft) -> bool:
    declared = record.fields[field].declared
    if not is_plain(record.fields[field]) or declared.startswith("ref["):
        return False
    if not isinstance(value, bool | int | float | str) or (isinstance(value, str) and len(value) > LONGEST):
        return False
    try:
        parse(declared, lambda _target: "str").check(value)
    except Unfit:
        return False
    return True
