"""The records of a JSON file, one by one in bounded memory: lines of JSON Lines, elements of lists, spans of exports.

A file is any number of JSON values after each other. Lists are gone into, and so are objects that only hold records
under a name of `HOLDERS`; all else is a record. Only one record is in memory at a time, whatever the size of the file.
Knows no format.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from squall.errors import Position, Problem, UsageError

HOLDERS = frozenset(
    (
        "resourceSpans",
        "scopeSpans",
        "instrumentationLibrarySpans",
        "spans",
        "resourceLogs",
        "scopeLogs",
        "logRecords",
        "data",
        "traces",
        "runs",
        "samples",
    )
)
"""Names under which objects hold lists of records."""
LEAVES = frozenset(("spans", "logRecords", "runs", "samples"))
"""Those whose elements are records, whatever names these have."""
CHUNK = 1 << 20
DEEPEST = 8  # lists and holders within each other
NEAR = 16  # characters before the end of what has been read, where an error may only mean that more is to come
BOM = "\xef\xbb\xbf"
SPACE = " \t\r\n"

_decode = json.JSONDecoder().raw_decode


class Record(NamedTuple):
    """A JSON value, where it stands in bytes, and where the list that it stands in begins (-1: in none)."""

    value: Any
    start: int
    end: int
    inside: int


class NotJson(Exception):
    """The file is no JSON from a byte on."""

    def __init__(self, at: int, why: str) -> None:
        super().__init__(why)
        self.at, self.why = at, why


def records(path: Path) -> Iterator[Record]:
    """The records of a file in order. Raises `NotJson` and `OSError`."""
    with path.open("rb") as file:
        window = _Window(file)
        if window.text.startswith(BOM):
            window.at = len(BOM)
        while window.peek():
            yield from _walk(window, 0, -1)


def record_at(file: BinaryIO, start: int, end: int) -> Any:
    """The record that stands there."""
    file.seek(start)
    return json.loads(file.read(end - start).decode(errors="replace"))


def broken(path: Path, error: NotJson) -> UsageError:
    """What to tell a person."""
    with path.open("rb") as file:
        line = 1
        left = error.at
        while left > 0 and (read := file.read(min(left, CHUNK))):
            line += read.count(b"\n")
            left -= len(read)
    hint = "Files are JSON, or JSON Lines; is this one whole?"
    return UsageError(Problem(f"this is not JSON: {error.why}", Position(str(path), line), hint=hint))


class _Window:
    """A part of the file as text in which each character is a byte, so that places in it are places in the file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.base = 0
        self.at = 0
        self.text = ""
        self.ended = False
        self.more()

    def more(self) -> None:
        """Read on; what lies behind is forgotten."""
        size = max(CHUNK, len(self.text) - self.at)  # twice what is there, so that a long value costs no more
        read = self._file.read(size)
        self.ended = len(read) < size
        self.base += self.at
        self.text = self.text[self.at :] + read.decode("latin-1")
        self.at = 0

    def peek(self) -> str:
        """The next character that is no space; empty at the end."""
        while True:
            text, at = self.text, self.at
            while at < len(text) and text[at] in SPACE:
                at += 1
            self.at = at
            if at < len(text):
                return text[at]
            if self.ended:
                return ""
            self.more()

    def skip(self, character: str) -> bool:
        """Whether that character is next; then it is passed."""
        if self.peek() != character:
            return False
        self.at += 1
        return True

    def value(self) -> tuple[Any, int, int]:
        """The next value, where it begins and where it ends."""
        while True:
            found = self.whole()
            if found is not None:
                return found
            self.more()

    def whole(self) -> tuple[Any, int, int] | None:
        """The next value if it has been read as a whole."""
        self.peek()
        at = self.at
        try:
            value, end = _decode(self.text, at)
        except json.JSONDecodeError as error:
            cut = error.msg.startswith("Unterminated string") or error.pos >= len(self.text) - NEAR
            if self.ended or not cut:
                raise NotJson(self.base + error.pos, error.msg) from None
            return None
        except (RecursionError, ValueError) as error:  # too deep, or a number of thousands of digits
            raise NotJson(self.base + at, str(error)) from None
        if end >= len(self.text) and not self.ended:  # a number may go on
            return None
        self.at = end
        return _real(value, self.text, at, end), self.base + at, self.base + end


def _real(value: Any, text: str, start: int, end: int) -> Any:
    """The value in characters rather than bytes."""
    part = text[start:end]
    if part.isascii():
        return value
    return json.loads(part.encode("latin-1").decode(errors="replace"))


def _walk(window: _Window, depth: int, inside: int) -> Iterator[Record]:
    first = window.peek()
    if first == "[" and depth < DEEPEST:
        yield from _elements(window, depth, leaves=False)
        return
    if first == "{" and depth < DEEPEST:
        at = window.at
        found = window.whole()
        if found is not None and not _holds(found[0]):
            yield Record(*found, inside)
            return
        if found is not None:
            window.at = at
        yield from _members(window, depth, inside)
        return
    yield Record(*window.value(), inside)


def _holds(value: dict[str, Any]) -> bool:
    if "messages" in value or "role" in value:
        return False
    return any(name in HOLDERS and isinstance(value[name], list) for name in value)


def _elements(window: _Window, depth: int, *, leaves: bool) -> Iterator[Record]:
    window.peek()
    start = window.base + window.at
    window.at += 1
    if window.skip("]"):
        return
    while True:
        if leaves:
            yield Record(*window.value(), start)
        else:
            yield from _walk(window, depth + 1, start)
        if window.skip("]"):
            return
        if not window.skip(","):
            raise NotJson(window.base + window.at, "expected ',' or ']' in a list")


def _members(window: _Window, depth: int, inside: int) -> Iterator[Record]:
    """An object, member by member: one too long to be read at once, or one that holds records."""
    start = window.base + window.at
    window.at += 1
    rest: dict[str, Any] = {}
    held = False
    more = not window.skip("}")
    while more:
        if window.peek() != '"':
            raise NotJson(window.base + window.at, "expected a name in an object")
        name = window.value()[0]
        if not window.skip(":"):
            raise NotJson(window.base + window.at, "expected ':' after a name")
        if name in HOLDERS and window.peek() == "[":
            held = True
            yield from _elements(window, depth + 1, leaves=name in LEAVES)
        else:
            rest[name] = window.value()[0]
        more = window.skip(",")
        if not more and not window.skip("}"):
            raise NotJson(window.base + window.at, "expected ',' or '}' in an object")
    if not held:
        yield Record(rest, start, window.base + window.at, inside)
