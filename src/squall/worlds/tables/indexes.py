"""Equality look-ups that do not walk the table: for one field, which rows hold which value, in table order.

The index of a freshly seeded table is built once and shared by all runs; a run copies the parts that it changes.
Knows rows as dicts and nothing of records.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from squall.worlds.tables.rows import Stored

Bucket = dict[Any, None]


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
            bucket = self._buckets[value] = dict.fromkeys(sorted(bucket, key=order.place))
            self._unsorted.discard(value)
        return bucket

    def is_shared(self, value: Any) -> bool:
        """Whether the ids of `value` are those of all runs still, so that what `ids` gave will never change."""
        return value not in self._own

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
    """The place of each row in its table, as numbers that grow in table order."""

    def __init__(self, shared: Callable[[], Mapping[Any, int]], count: int) -> None:
        self._shared = shared
        self._own: dict[Any, int] = {}
        self.following = count  # the place of the next row that comes

    def place(self, key: Any) -> int:
        """The place of a row that is, or was, in the table."""
        own = self._own.get(key)
        return self._shared()[key] if own is None else own

    def came(self, key: Any) -> None:
        """A row was added at the end."""
        self._own[key] = self.following
        self.following += 1
