"""Plain data read with care: what has the wrong shape is passed over, since the file's model complains of it elsewhere.

Knows no world.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def mapping(value: Any) -> dict[Any, Any]:
    """`value` if it is a mapping."""
    return value if isinstance(value, dict) else {}


def mappings(value: Any) -> Iterator[tuple[str, dict[Any, Any]]]:
    """The mappings inside a mapping, with their names."""
    return ((name, inner) for name, inner in mapping(value).items() if isinstance(inner, dict))


def texts(value: Any) -> list[tuple[int, str]]:
    """The texts in a list, with their places."""
    items = enumerate(value) if isinstance(value, list) else ()
    return [(place, item) for place, item in items if isinstance(item, str)]


MOST_ROWS = 2_000_000
"""A record may start with so many rows, besides those of a data file."""


def count(value: Any) -> int | None:
    """`value` if it is a whole number, 0 or more."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


class Misread(ValueError):
    """A text of a file that means nothing where it stands, with the nearest that would and what to do."""

    def __init__(self, message: str, *, near: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.near = near
        self.hint = hint
