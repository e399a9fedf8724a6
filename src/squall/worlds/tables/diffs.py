"""What differs between two snapshots. Knows snapshots as plain data only."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from squall.worlds.tables import words

Snapshot = Mapping[str, Mapping[str, Mapping[str, Any]]]
"""Rows in their wire form by table (`service.record`) and id (as text)."""


@dataclass(frozen=True)
class Diff:
    """Added and removed rows and changed fields, each by table and id; false if there are none.

    `unquoted` names by table the fields whose texts stand for moments and exact numbers.
    """

    added: dict[str, dict[str, Mapping[str, Any]]] = field(default_factory=dict)
    removed: dict[str, dict[str, Mapping[str, Any]]] = field(default_factory=dict)
    changed: dict[str, dict[str, dict[str, tuple[Any, Any]]]] = field(default_factory=dict)
    unquoted: Mapping[str, Collection[str]] = field(default_factory=dict, repr=False, compare=False)

    def __bool__(self) -> bool:
        return bool(self.added or self.removed or self.changed)

    def rows(self) -> Iterator[tuple[str, str, str]]:
        """Each difference as table, id and what happened, in words."""
        for table, rows in self.added.items():
            for key, row in rows.items():
                yield table, key, f"added {words.fields(dict(row), self.unquoted.get(table, ()))}"
        for table, rows in self.removed.items():
            for key, row in rows.items():
                yield table, key, f"removed {words.fields(dict(row), self.unquoted.get(table, ()))}"
        for table, fields in self.changed.items():
            for key, changes in fields.items():
                yield table, key, words.changes(changes, self.unquoted.get(table, ()))

    def __str__(self) -> str:
        return "\n".join(f"{table} {key!r}: {what}" for table, key, what in self.rows()) or "no difference"


def compare(old: Snapshot, new: Snapshot, unquoted: Mapping[str, Collection[str]]) -> Diff:
    """What turned `old` into `new`."""
    diff = Diff(unquoted=unquoted)
    for table in [*new, *(name for name in old if name not in new)]:
        before, after = old.get(table, {}), new.get(table, {})
        for key, row in after.items():
            if key not in before:
                diff.added.setdefault(table, {})[key] = row
            elif (was := before[key]) != row:
                names = [*was, *(name for name in row if name not in was)]
                changes = {n: (was.get(n), row.get(n)) for n in names if was.get(n) != row.get(n)}
                diff.changed.setdefault(table, {})[key] = changes
        for key, row in before.items():
            if key not in after:
                diff.removed.setdefault(table, {})[key] = row
    return diff
