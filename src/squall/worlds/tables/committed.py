"""The rows of one record as they stand for everyone, their order, and the indexes that answer equality.

Stored rows are dicts that are replaced, never changed, so readers keep what they got and runs share what was seeded.
Knows no transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from itertools import chain
from typing import Any

from squall.worlds.tables.base import Base
from squall.worlds.tables.indexes import Index, Ordinals
from squall.worlds.tables.ledger import Op
from squall.worlds.tables.rows import Stored

NOTHING: Mapping[str, Iterable[Any]] = {}
SORTING = 4
"""To put a row in its place among others costs about as much as to look at so many."""


class Committed:
    """Begins with the seeded rows, which runs share until the first write."""

    def __init__(self, base: Base) -> None:
        self.base = base
        self.rows = base.rows
        self.order = Ordinals(base.places, len(base.rows))
        self._shared = True
        self._indexed = base.record.indexed
        self._indexes: dict[str, Index] = {}
        self._touched: dict[Any, None] = {}

    def land(self, op: Op, key: Any, values: Mapping[str, Any]) -> tuple[Stored | None, Stored | None]:
        """Carry a write out: `values` is the whole row of an insert, the changes of an update. The row before, after.

        The row that is inserted stands at the end.
        """
        if self._shared:
            self.rows = dict(self.rows)
            self._shared = False
        before = self.rows.get(key)
        after: Stored | None
        if op == "delete":
            after = None
            del self.rows[key]
        else:
            after = {**before, **values} if before is not None else dict(values)
            self.rows[key] = after
            if before is None:
                self.order.came(key)
        self._touched[key] = None
        for index in self._indexes.values():
            index.move(key, before, after)
        return before, after

    def candidates(
        self, conditions: Mapping[str, Any], among: Mapping[str, Iterable[Any]] = NOTHING
    ) -> Collection[Any]:
        """Ids of rows that may match, in table order: as few as the indexes can tell.

        `conditions` are the values of fields; `among` are values of which a field has one.
        """
        if "id" in conditions:
            key = conditions["id"]
            return [key] if key in self.rows else []
        smallest: Collection[Any] | None = None
        steady = self._shared  # who writes first writes to a copy
        for name, value in conditions.items():
            if name in self._indexed:
                index = self._index(name)
                ids = index.ids(value, self.order)
                if smallest is None or len(ids) < len(smallest):
                    smallest, steady = ids, index.is_shared(value)
        for name, values in among.items():
            buckets = self._buckets(name, values)
            so_far = self.rows if smallest is None else smallest
            if buckets is not None and sum(map(len, buckets)) * SORTING < len(so_far):
                smallest, steady = sorted(chain.from_iterable(buckets), key=self.order.place), True
        found = self.rows if smallest is None else smallest
        return found if steady else list(found)  # a copy: others may write meanwhile

    def only(self, conditions: Mapping[str, Any]) -> tuple[bool, Stored | None]:
        """Whether one index tells the first row that matches, and that row."""
        if len(conditions) == 1:
            ((name, value),) = conditions.items()
            if name in self._indexed:
                key = next(iter(self._index(name).ids(value, self.order)), None)
                return True, None if key is None else self.rows[key]
        return False, None

    def _buckets(self, field: str, values: Iterable[Any]) -> list[Collection[Any]] | None:
        """The ids of the rows whose field is one of these; None where no index tells."""
        if field == "id":
            return [[key for key in dict.fromkeys(values) if key in self.rows]]
        if field not in self._indexed:
            return None
        index = self._index(field)
        return [index.ids(value, self.order) for value in dict.fromkeys(values)]

    def _index(self, field: str) -> Index:
        index = self._indexes.get(field)
        if index is None:
            index = Index(field, self.base.index(field))
            for key in self._touched:
                index.adopt(key, self.base.rows.get(key), self.rows.get(key))
            self._indexes[field] = index
        return index
