"""ruamel.yaml's scanner and parser, taught to read types in flow style and to read a text from memory fast.

In flow style a type such as `enum[placed, returned]` or `list[int[1..3]]?` is broken YAML: a bracket cannot follow a
word. The scanner here takes such a word with its brackets as one plain scalar; nothing that was valid changes.
Knows no data: it yields parser events whose marks are offsets into the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

from ruamel.yaml.parser import Parser
from ruamel.yaml.scanner import Scanner, ScannerError
from ruamel.yaml.tokens import ScalarToken

_VERSION = (1, 2)

_TYPE_START = re.compile(r"[A-Za-z_][\w.-]*\[")
_TYPE_PART = re.compile(
    r"""(?P<blank>(?:[ \t\r\n]+(?:\#[^\r\n]*)?)+)              # blanks, line breaks, comments
    |(?P<quoted>"[^"\\]*(?:\\.[^"\\]*)*"|'[^']*(?:''[^']*)*')   # a member in quotes, whatever it holds
    |(?P<open>\[)|(?P<close>\])|(?P<comma>,)
    |(?P<text>[^\s\[\]{},"'\0][^\s\[\]{},\0]*)                # a member without quotes or braces
    """,
    re.VERBOSE | re.DOTALL,
)
_TYPE_END = re.compile(r"[^\s,:\[\]{}\0]*")


class _Mark:
    """A place in the text; ruamel.yaml asks a mark for its line, everything here for its offset."""

    __slots__ = ("index", "line")

    def __init__(self, index: int, line: int) -> None:
        self.index = index
        self.line = line


class _Reader:
    """The text as the scanner wants to read it. Past the end stands an endless row of NULs."""

    encoding = None

    def __init__(self, text: str) -> None:
        self.buffer = text + "\0"
        self.index = 0
        self.line = 0
        self._line_start = 0

    @property
    def column(self) -> int:
        return self.index - self._line_start

    def peek(self, ahead: int = 0) -> str:
        try:
            return self.buffer[self.index + ahead]
        except IndexError:
            return "\0"

    def prefix(self, length: int = 1) -> str:
        return self.buffer[self.index : self.index + length]

    def forward(self, length: int = 1) -> None:
        start = self.index
        end = min(start + length, len(self.buffer))
        self.index = end
        buffer = self.buffer
        for at in range(start, end):
            char = buffer[at]
            if char == "\n" or (char == "\r" and buffer[at + 1] != "\n"):
                self.line += 1
                self._line_start = at + 1

    def get_mark(self) -> _Mark:
        return _Mark(self.index, self.line)


class _Scanner(Scanner):
    reader: Any = None
    scanner_processing_version = _VERSION

    def __init__(self, reader: _Reader) -> None:
        self.reader = reader
        super().__init__(SimpleNamespace(doc_infos=[SimpleNamespace(doc_version=None)], comment_handling=False))

    def scan_plain(self) -> Any:
        if self.flow_context and _TYPE_START.match(self.reader.buffer, self.reader.index):
            return self._scan_type()
        return super().scan_plain()

    def _scan_type(self) -> Any:
        reader = self.reader
        buffer = reader.buffer
        start = reader.get_mark()
        pieces: list[str] = []
        depth = 0
        at = start.index
        while True:
            part = _TYPE_PART.match(buffer, at)
            if part is None:
                raise self._unclosed(start, at)
            at = part.end()
            pieces.append(" " if part.lastgroup == "blank" else part.group())
            depth += {"open": 1, "close": -1}.get(part.lastgroup or "", 0)
            if depth == 0 and part.lastgroup == "close":
                break
        tail = _TYPE_END.match(buffer, at)
        pieces.append(tail.group() if tail else "")
        reader.forward(at - start.index + len(pieces[-1]))
        self.allow_simple_key = False
        return ScalarToken("".join(pieces), plain=True, start_mark=start, end_mark=reader.get_mark())

    def _unclosed(self, start: _Mark, at: int) -> ScannerError:
        opening = self.reader.buffer.index("[", start.index)
        end = "the end of the file" if at >= len(self.reader.buffer) - 1 else repr(self.reader.buffer[at])
        return ScannerError(None, None, f"this '[' is not closed before {end}", _Mark(opening, start.line))


class _Parser(Parser):
    scanner: Any = None
    resolver: Any = SimpleNamespace(processing_version=_VERSION)

    def __init__(self, scanner: _Scanner) -> None:
        self.scanner = scanner
        super().__init__(SimpleNamespace(comment_handling=None))


def events(text: str) -> Iterator[Any]:
    """The parser's events for `text`; malformed text raises ruamel.yaml's MarkedYAMLError."""
    parser = _Parser(_Scanner(_Reader(text)))
    while parser.check_event():
        yield parser.get_event()
