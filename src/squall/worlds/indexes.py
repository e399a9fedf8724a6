"""Equality look-ups that do not walk the table: for one field, which rows hold which value, in table order.

The index of a freshly seeded table is built once and shared by all runs; a run copies the parts that it changes.
Knows rows as dicts and nothing of records.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Bucket = dict[Any, None]
Stored = dict[str, Any]


def build(field: str, rows: Mapping[Any, Stored]) -> dict[Any, Bucket]:
    """The ids by value of `field`."""
    buckets: dict[Any, Bucket] = {}
    for key, row in rows.items():
        value = row[field]
        bucket = buckets.get(value)
        if bucket is None:
            buckets[value] = {key: None}
        else:
            bucket[key] = None
    return buckets


class Index:
    """The ids by value of one field, kept up to date."""

    def __init__(self, field: str, shared: dict[Any, Bucket]) -> None:
        self.field = field
        self._buckets = shared.copy()
        self._own: set[Any] = set()
        self._unsorted: set[Any] = set()

    def ids(self, value: Any, order: Ordinals) -> Bucket:
        """The ids of the rows whose field is `value`, in table order."""
        bucket = self._buckets.get(value)
        if bucket is None:
            return {}
        if value in self._unsorted:
            places = order.places()
            bucket = self._buckets[value] = dict.fromkeys(sorted(bucket, key=places.__getitem__))
            self._unsorted.discard(value)
        return bucket

    def move(self, key: Any, before: Stored | None, after: Stored | None) -> None:
        """A row changed, came (`before` None) or went (`after` None)."""
        old = None if before is None else before[self.field]
        new = None if after is None else after[self.field]
        if before is not None and after is not None and old == new:
            return
        if before is not None:
            self._bucket(old).pop(key, None)
        if after is not None:
            self._bucket(new)[key] = None
            if before is not None:
                self._unsorted.add(new)  # it stands at the end of the bucket, but not at the end of the table

    def adopt(self, key: Any, before: Stored | None, after: Stored | None) -> None:
        """As `move`, for a row that was written before this index existed, so that its place is not known."""
        if before is not None:
            self._bucket(before[self.field]).pop(key, None)
        if after is not None:
            self._bucket(after[self.field])[key] = None
            self._unsorted.add(after[self.field])

    def _bucket(self, value: Any) -> Bucket:
        if value not in self._own:
            self._own.add(value)
            self._buckets[value] = self._buckets.get(value, {}).copy()
        return self._buckets[value]


class Ordinals:
    """The place of each row in its table; worked out only once somebody asks."""

    def __init__(self, rows: Mapping[Any, Stored]) -> None:
        self._rows = rows
        self._places: dict[Any, int] | None = None
        self._next = 0

    def places(self) -> Mapping[Any, int]:
        """Numbers that grow in table order, by id."""
        if self._places is None:
            self._places = {key: place for place, key in enumerate(self._rows)}
            self._next = len(self._places)
        return self._places

    def watch(self, rows: Mapping[Any, Stored]) -> None:
        """The table now keeps its rows in `rows`, which are the same as before."""
        self._rows = rows

    def came(self, key: Any) -> None:
        """A row was added at the end."""
        if self._places is not None:
            self._places[key] = self._next
            self._next += 1

    def went(self, key: Any) -> None:
        """A row was removed."""
        if self._places is not None:
            del self._places[key]
