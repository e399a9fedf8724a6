"""What a service remembers beside its rows: answers by idempotency key, tokens that it gave out.

Remembered as rows are written: within a transaction for itself alone, for everyone once it has landed, and not at all
if it is dropped. Knows no row and no clock.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from typing import Any, NamedTuple, Protocol

from squall.worlds.tables.refusals import InvalidRow


class Kept(NamedTuple):
    """A value that a transaction wants kept, and what everyone remembered in its stead by then."""

    value: Any
    instead: Any


class Remembering(Protocol):
    """A transaction, as far as it remembers: what it wants kept, and the transaction around it."""

    @property
    def kept(self) -> dict[Hashable, Kept]:
        """By slot."""

    @property
    def parent(self) -> Remembering | None:
        """The transaction around this one."""


class Memory:
    """What is remembered for everyone."""

    def __init__(self) -> None:
        self._values: dict[Hashable, Any] = {}

    def recall(self, slot: Hashable, within: Remembering | None) -> Any:
        """The value in `slot` as the transaction `within` sees it, or None."""
        for transaction in _outwards(within):
            if slot in transaction.kept:
                return transaction.kept[slot].value
        return self._values.get(slot)

    def keep(self, slot: Hashable, value: Any, within: Remembering) -> None:
        """Remember `value` once `within` has landed."""
        within.kept[slot] = Kept(value, self._values.get(slot))

    def agree(self, kept: Mapping[Hashable, Kept]) -> None:
        """Raises `InvalidRow` if others have remembered something else in the meantime."""
        for slot, (_, instead) in kept.items():
            if self._values.get(slot) is not instead:
                raise InvalidRow("a request with the same key is under way; try again later", reason="conflict")

    def land(self, kept: Mapping[Hashable, Kept]) -> None:
        """Remember for everyone."""
        self._values |= {slot: value for slot, (value, _) in kept.items()}


def _outwards(within: Remembering | None) -> Iterator[Remembering]:
    while within is not None:
        yield within
        within = within.parent
