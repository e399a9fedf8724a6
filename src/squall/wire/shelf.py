"""What a provider keeps in memory for later requests: bounded in number and in weight, the oldest goes first.

A provider may serve for days, and whoever asks it may send megabytes each time. Knows not what is kept.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

T = TypeVar("T")
MOST = 1000
HEAVIEST = 64 * 1024 * 1024  # bytes, but for the newest, which is kept in any case
EACH = 64  # bytes that a value takes besides its text


class Shelf(Generic[T]):
    """Things by their names, in the order in which they were put here."""

    def __init__(self, most: int = MOST, heaviest: int = HEAVIEST) -> None:
        self._most, self._heaviest = most, heaviest
        self._kept: dict[str, tuple[T, int]] = {}
        self._weight = 0

    def __iter__(self) -> Iterator[str]:
        return iter(self._kept)

    def get(self, name: str) -> T | None:
        """What is kept under a name."""
        found = self._kept.get(name)
        return None if found is None else found[0]

    def values(self) -> Iterator[T]:
        """All that is kept, the oldest first."""
        return (kept for kept, _ in self._kept.values())

    def put(self, name: str, kept: T, weight: int) -> list[T]:
        """Keep something of so many bytes; gives what had to go for it, also what had its name."""
        before = self.pop(name)
        gone = [] if before is None else [before]
        self._kept[name] = kept, weight
        self._weight += weight
        while len(self._kept) > max(1, self._most) or (self._weight > self._heaviest and len(self._kept) > 1):
            oldest = self.pop(next(iter(self._kept)))
            gone += [] if oldest is None else [oldest]
        return gone

    def change(self, name: str, kept: T) -> None:
        """Keep something else under a name, where it stands, as if it weighed the same."""
        if name in self._kept:
            self._kept[name] = kept, self._kept[name][1]

    def pop(self, name: str) -> T | None:
        """Keep it no longer."""
        found = self._kept.pop(name, None)
        if found is None:
            return None
        self._weight -= found[1]
        return found[0]


def weight(*values: Any) -> int:
    """About how many bytes of memory values of JSON take."""
    total, left = 0, list(values)
    while left:
        value = left.pop()
        total += EACH
        if isinstance(value, str):
            total += len(value)
        elif isinstance(value, list | tuple):
            left += value
        elif isinstance(value, dict):
            left += value.keys()
            left += value.values()
    return total
