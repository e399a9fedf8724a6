"""What a table starts from. Knows records and stored rows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.worlds.tables.indexes import Bucket, build
from squall.worlds.tables.records import Record
from squall.worlds.tables.rows import Stored


class Base:
    """The seeded rows of one record, shared by all runs that start from them; never changed."""

    def __init__(self, record: Record, rows: dict[Any, Stored], next_number: int) -> None:
        self.record = record
        self.rows = rows
        self.next_number = next_number
        self._indexes: dict[str, dict[Any, Bucket]] = {}
        self._places: dict[Any, int] | None = None

    def places(self) -> Mapping[Any, int]:
        """The place of each row, worked out once."""
        if self._places is None:
            self._places = {key: place for place, key in enumerate(self.rows)}
        return self._places

    def index(self, field: str) -> dict[Any, Bucket]:
        """The index of `field`, built once."""
        if field not in self._indexes:
            self._indexes[field] = build(field, self.rows)
        return self._indexes[field]
