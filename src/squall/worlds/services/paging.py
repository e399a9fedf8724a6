"""The order of a `list` and its pages.

A page begins after the last row of the page before it, which is known by its place in the order (the value that is
sorted by, then the place in the table), not by a count: so pages stay whole while rows come and go. Nulls come last,
whichever way. Knows records and stored rows; where a row stands in its table it is told.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple

from squall.call import Refused
from squall.canonical import digest, plain
from squall.errors import shown
from squall.worlds.fields.types import EnumType, Unfit
from squall.worlds.services import cursors
from squall.worlds.services.spelling import one_form
from squall.worlds.tables.records import Record
from squall.worlds.tables.rows import Stored

Place = Callable[[Stored], int]
AGAIN = "leave the cursor out to begin with the first page"


@dataclass(frozen=True)
class Order:
    """One way to sort: by `field`, falling if `down`. `text` is how it is written."""

    text: str
    field: str
    down: bool
    ranks: Mapping[str, int] | None
    """Members of an enum are sorted as they were declared."""

    def key(self, stored: Stored) -> tuple[bool, Any]:
        """What rows are compared by; the larger comes later, or earlier if `down`."""
        value = stored[self.field]
        if value is None:
            return (not self.down, 0)
        return (self.down, value if self.ranks is None else self.ranks[value])


def order(record: Record, text: str) -> Order:
    """The order that `placed_at` or `-total` means; the field is there."""
    field = text.removeprefix("-")
    kind = record.fields[field]
    ranks = {member: rank for rank, member in enumerate(kind.members)} if isinstance(kind, EnumType) else None
    return Order(text, field, text.startswith("-"), ranks)


class Spot(NamedTuple):
    """Where a page ended."""

    place: int
    stored: Stored


def first(rows: Iterable[Stored], by: Order | None, count: int | None) -> list[Stored]:
    """The first `count` rows (None: all) in the order `by`; equal ones, and all without `by`, as in the table."""
    if by is None:
        return list(rows if count is None else islice(rows, count))
    if count is None:
        return sorted(rows, key=by.key, reverse=by.down)
    return heapq.nlargest(count, rows, key=by.key) if by.down else heapq.nsmallest(count, rows, key=by.key)


def after(rows: Iterable[Stored], by: Order | None, spot: Spot, place: Place) -> Iterator[Stored]:
    """The rows that come after `spot`, in table order."""
    if by is None:
        yield from (row for row in rows if place(row) > spot.place)
        return
    end = by.key(spot.stored)
    for row in rows:
        key = by.key(row)
        if (key < end if by.down else key > end) or (key == end and place(row) > spot.place):
            yield row


class Pages:
    """Makes and reads the cursors of one operation."""

    def __init__(self, tool: str, record: Record, size: int) -> None:
        self.size = size
        self._tool = tool
        self._record = record

    def cursor(self, query: Mapping[str, Any], by: Order | None, spot: Spot) -> str:
        """The cursor of the page after `spot`. `query` are the arguments, checked: however they are spelt."""
        value = None if by is None else self._record.fields[by.field].wire(spot.stored[by.field])
        return cursors.seal([self._digest(query), spot.place, value])

    def spot(self, cursor: Any, query: Mapping[str, Any], by: Order | None) -> Spot:
        """Where the page before ended. Raises `Refused` for a cursor that is none, or of another query."""
        try:
            asked, place, value = cursors.unseal(cursor)
        except (ValueError, TypeError, AttributeError):
            raise Refused(f"cursor: {shown(cursor)} is not a cursor; {AGAIN}", "arguments") from None
        if asked != self._digest(query):
            raise Refused(f"cursor: it belongs to a list with other arguments; {AGAIN}", "arguments")
        if by is None:
            return Spot(place, {})
        try:
            stored = None if value is None else self._record.fields[by.field].check(value)
        except Unfit:  # of a world whose types were others
            raise Refused(f"cursor: {shown(cursor)} is not a cursor; {AGAIN}", "arguments") from None
        return Spot(place, {by.field: stored})

    def _digest(self, query: Mapping[str, Any]) -> str:
        asked = {name: value for name, value in query.items() if name != "cursor"}
        return digest([self._tool, plain(one_form(asked))])[:16]
