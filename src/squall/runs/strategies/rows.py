"""What became of a write, told from the rows that its service lists. Knows no run: operations and rows, as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from typing import Any

CURSOR, NEXT = "cursor", "next_cursor"
OWN = frozenset({CURSOR, "sort", "limit", "include"})
"""Arguments of a list that are no filter."""


def lists_for(tool: str, operations: Mapping[str, Any]) -> Iterator[Any]:
    """The lists that could show what a write leaves: of its record, or of its service where it is about none."""
    written = operations.get(tool)
    if written is None or written.kind == "delete":  # what is gone is in no list, and so is what never was
        return
    for each in operations.values():
        if each.service == written.service and each.kind == "list" and written.record in (None, each.record):
            yield each


def filters_of(listing: Any, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a write that its list can be asked for."""
    names = {param.name for param in listing.params} - OWN
    return {name: value for name, value in arguments.items() if name in names and value is not None}


def page_of(answer: Any) -> tuple[list[dict[str, Any]], str | None]:
    """The rows of a list's answer, and the cursor of the page after it; None on the last one."""
    paged = isinstance(answer, Mapping)
    rows: Any = next((each for each in answer.values() if isinstance(each, list)), []) if paged else answer
    following: Any = answer.get(NEXT) if paged else None
    found: list[Any] = rows if isinstance(rows, list) else []  # a fault may have made anything of it
    return [row for row in found if isinstance(row, dict)], following if isinstance(following, str) else None


def says_the_same(row: Mapping[str, Any], arguments: Mapping[str, Any]) -> bool:
    """Whether a row holds all that a write said, of the fields that rows have; one of them at least."""
    told = {name: value for name, value in arguments.items() if name in row and value is not None}
    return bool(told) and all(_same(row[name], value) for name, value in told.items())


def _same(one: Any, other: Any) -> bool:
    """As JSON compares; and a decimal is the number that its text means."""
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    if one == other:
        return True
    if not isinstance(one, str | int | float) or not isinstance(other, str | int | float):
        return False
    try:
        return Decimal(str(one)) == Decimal(str(other))
    except InvalidOperation:
        return False
