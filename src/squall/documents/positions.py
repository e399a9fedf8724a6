"""Where each key and value of a document stands, as offsets into its text.

A `Spot` mirrors one value; a `Text` turns an offset into a line and a column when somebody asks. Knows no file format.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple, NoReturn

from squall.errors import Position, Problem, UsageError, shown

MAX_DEPTH = 64
TOO_DEEP = f"the document is nested more than {MAX_DEPTH} levels deep"

_CHILDLESS: Mapping[str | int, Spot] = MappingProxyType({})
_LINE_BREAK = re.compile(r"\r\n|\r|\n")


class Spot:
    """Offsets of one value (`start`) and of the key it stands under (`key`), with the spots of what it holds."""

    __slots__ = ("children", "key", "start")

    def __init__(self, start: int, children: Mapping[str | int, Spot] = _CHILDLESS) -> None:
        self.start = start
        self.key = start
        self.children = children

    def find(self, loc: tuple[str | int, ...]) -> tuple[Spot, bool]:
        """The spot at `loc` and True, or that of its nearest ancestor and False."""
        spot = self
        for part in loc:
            below = spot.children.get(part)
            if below is None:
                return spot, False
            spot = below
        return spot, True


class Parsed(NamedTuple):
    """What a format makes of a text: plain data, and the spots that mirror it."""

    data: object
    root: Spot


class Text:
    """A document's text under the name that people know it by."""

    def __init__(self, text: str, name: str) -> None:
        self.text = text
        self.name = name
        self._line_starts: list[int] | None = None

    def at(self, offset: int) -> Position:
        """Line and column, from 1, of the character at `offset`."""
        if self._line_starts is None:
            self._line_starts = [0, *(found.end() for found in _LINE_BREAK.finditer(self.text))]
        line = bisect_right(self._line_starts, offset)
        return Position(self.name, line, offset - self._line_starts[line - 1] + 1)

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column, both from 1."""
        self.at(0)
        starts = self._line_starts or [0]
        return min(starts[min(line, len(starts)) - 1] + column - 1, len(self.text))

    def fail(self, message: str, offset: int, hint: str | None = None) -> NoReturn:
        """Raise the UsageError that says what is wrong at `offset`."""
        raise UsageError(Problem(message, self.at(offset), hint=hint)) from None

    def fail_twice(self, key: str, offset: int, first: int) -> NoReturn:
        """Raise the UsageError for a key that stands at `offset` and, before, at `first`."""
        before = self.at(first)
        hint = f"It stands first on line {before.line}, column {before.column}. Keep one of them."
        self.fail(f"the key {shown(key)} stands here twice", offset, hint)
