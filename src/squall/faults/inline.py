"""A plan given as Python data, so that it can be read like a file: places are paths into the data.

Knows nothing of what the data means.
"""

from __future__ import annotations

from typing import Any, Protocol

from squall.errors import Position


class Source(Protocol):
    """What `parse.py` reads: plain data, and where each part of it stands. `squall.documents.Document` is one."""

    name: str
    data: Any

    def at(self, loc: tuple[str | int, ...], *, key: bool = False) -> Position:
        """Where the value at `loc` stands, or with `key` its key."""
        ...


class Inline:
    """Python data as a source."""

    path = None

    def __init__(self, data: Any, name: str = "faults") -> None:
        self.data, self.name = data, name

    def at(self, loc: tuple[str | int, ...], *, key: bool = False) -> Position:
        """The path to the value: `faults['payments.issue_refund']['errors']`."""
        return Position(self.name + "".join(f"[{part!r}]" for part in loc))
