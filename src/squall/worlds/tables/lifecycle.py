"""What a record allows its updates to do, and what they cause: state machines, optimistic locks, events.

A row may be created in any state. Knows stored rows and the words for a refusal; no table and no transaction.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from squall.worlds.tables.refusals import InvalidRow

FIRST_VERSION = 1


@dataclass(frozen=True)
class Lifecycle:
    """Rules of one record. `transitions` says by field and state which states may follow; others are final.

    `version` is the field that counts a row's updates; `emits` says by field and state which event it is to get there.
    """

    transitions: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    version: str | None = None
    emits: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def begin(self, row: dict[str, Any]) -> None:
        """What a new row starts with."""
        if self.version is not None and row[self.version] is None:
            row[self.version] = FIRST_VERSION

    def update(self, short: str, before: Mapping[str, Any], changes: dict[str, Any]) -> int | None:
        """Check an update and count it, in `changes`. Returns the version that it names. Raises `InvalidRow`."""
        for name, following in self.transitions.items():
            if name in changes:
                _follow(short, before, name, changes[name], following)
        if self.version is None:
            return None
        named: int | None = changes.get(self.version)
        self.agree(short, before, named)
        changes[self.version] = self.next(before)
        return named

    def agree(self, short: str, before: Mapping[str, Any], named: int | None) -> None:
        """Refuse an update that was made for another version than the row has."""
        if named is not None and self.version is not None and named != before[self.version]:
            has = f"{short} {str(before['id'])!r} has {self.version} {before[self.version]}"
            raise InvalidRow(f"{has}, not {named}: it was changed in the meantime; read it again", reason="conflict")

    def land(self, short: str, before: Mapping[str, Any], values: Mapping[str, Any], named: int | None) -> None:
        """Check an update again that was made against an older state. Raises `InvalidRow`."""
        self.agree(short, before, named)
        for name, following in self.transitions.items():
            if name in values:
                _follow(short, before, name, values[name], following)

    def counted(self, before: Mapping[str, Any], values: Mapping[str, Any]) -> Mapping[str, Any]:
        """The changes of an update as they land: counted from what the row is then."""
        return values if self.version is None else {**values, self.version: self.next(before)}

    def events(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
        """The events that an update causes."""
        if not self.emits:
            return []
        moved = [(states, after[name]) for name, states in self.emits.items() if before[name] != after[name]]
        return [states[state] for states, state in moved if state in states]

    def next(self, before: Mapping[str, Any]) -> int:
        """The version after that of `before`."""
        return int(before[self.version or ""] or 0) + 1


def _follow(
    short: str, before: Mapping[str, Any], name: str, after: Any, following: Mapping[str, tuple[str, ...]]
) -> None:
    now = before[name]
    ways = following.get(now, ()) if now is not None else None
    if after == now or ways is None or after in ways:
        return
    tail = f"it can become {' or '.join(ways)}" if ways else f"{now} is final"
    becomes = "empty" if after is None else after
    row = f"{short} {str(before['id'])!r}"
    raise InvalidRow(f"{name}: {row} is {now} and cannot become {becomes}; {tail}", reason="conflict")
