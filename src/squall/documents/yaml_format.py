"""YAML 1.2 as plain data with positions, built from ruamel.yaml's events.

`no` is text, time stamps are text, tags that would build objects are refused, and aliases are bounded.
Knows nothing of what a document means; how types are written in flow style is known to `yaml_scanner`.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from ruamel.yaml.error import MarkedYAMLError
from ruamel.yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from squall.documents.positions import MAX_DEPTH, TOO_DEEP, Parsed, Spot, Text
from squall.documents.yaml_scanner import events
from squall.errors import shown

MAX_ALIASED = 100_000
"""How many values all aliases of a document may stand for, taken together."""

_YAML_TAG = "tag:yaml.org,2002:"
_COLLECTION_TAGS = {MappingStartEvent: "map", SequenceStartEvent: "seq"}
_NULL = frozenset({"", "~", "null", "Null", "NULL"})
_BOOL = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_SPECIAL_FLOAT = re.compile(r"([-+]?)\.(?:(inf|Inf|INF)|nan|NaN|NAN)")
_NUMBER_START = frozenset("+-.0123456789")
_FORBIDDEN = re.compile("[\x7f-\x9f\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")

_QUOTE_KEY = "Keys are text. Put the key in quotes if that is what you mean."
_HINTS = {
    "mapping values are not allowed here": "Text that holds ': ' needs quotes; also check the indentation.",
    "could not find expected ':'": "Each line of a mapping is 'key: value'; text over several lines needs quotes.",
    "found unexpected end of stream": "A quote is opened here or above and never closed.",
}
_SPELLED = {"'<stream end>'": "the end of the file", r"'\x00'": "the end of the file", "('<": "<", ">',)": ">"}


class _Anchor(NamedTuple):
    value: Any
    spot: Spot
    size: int
    height: int


class _Open:
    """A mapping or list that is being filled."""

    __slots__ = ("anchor", "height", "key", "key_at", "size", "spot", "spots", "value")

    def __init__(self, value: Any, start: int, anchor: str | None) -> None:
        self.value = value
        self.spots: dict[str | int, Spot] = {}
        self.spot = Spot(start, self.spots)
        self.anchor = anchor
        self.key: str | None = None
        self.key_at = 0
        self.size = 1
        self.height = 1


def parse(source: Text) -> Parsed:
    """The document's data and spots, or UsageError at the place that is wrong."""
    found = _FORBIDDEN.search(source.text)
    if found:
        source.fail(f"the character {found.group()!r} cannot stand in YAML", found.start(), "Write it as an escape.")
    builder = _Builder(source)
    stream = events(source.text)
    try:
        for event in stream:
            builder.take(event)
    except MarkedYAMLError as error:
        _fail(source, error)
    except (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError):
        # The scanner trips over some malformed texts (an escape beyond Unicode, a directive cut short).
        source.fail("this is not valid YAML", builder.last, "The mistake is here or soon after.")
    return builder.result()


def _fail(source: Text, error: MarkedYAMLError) -> None:
    mark = error.problem_mark or error.context_mark
    offset = min(mark.index, len(source.text)) if mark else 0
    problem = str(error.problem or error.context or "it cannot be read")
    for name, words in _SPELLED.items():
        problem = problem.replace(name, words)
    if source.text[offset : offset + 1] == "\t":
        source.fail("a tab cannot indent YAML", offset, "Indent with spaces.")
    hint = _HINTS.get(problem)
    if error.context and error.context_mark and error.context_mark.index != offset:
        start = source.at(error.context_mark.index)
        problem = f"{problem} ({error.context} that began on line {start.line}, column {start.column})"
    source.fail(f"this is not valid YAML: {problem}", offset, hint)


class _Builder:
    """Takes events one by one and keeps what is open on a stack of its own, so that depth costs no recursion."""

    def __init__(self, source: Text) -> None:
        self.source = source
        self.last = 0
        self._stack: list[_Open] = []
        self._anchors: dict[str, _Anchor] = {}
        self._aliased = 0
        self._documents = 0
        self._root: tuple[Any, Spot] | None = None

    def result(self) -> Parsed:
        return Parsed(*self._root) if self._root else Parsed(None, Spot(0))

    def take(self, event: Any) -> None:
        kind = type(event)
        if kind is ScalarEvent:
            self._scalar(event)
        elif kind is MappingStartEvent or kind is SequenceStartEvent:
            self._open(event, {} if kind is MappingStartEvent else [])
        elif kind is MappingEndEvent or kind is SequenceEndEvent:
            self._close()
        elif kind is AliasEvent:
            self._alias(event)
        elif kind is DocumentStartEvent:
            self._document(event)
        if kind is not StreamEndEvent:
            self.last = event.start_mark.index

    def _document(self, event: Any) -> None:
        start = event.start_mark.index
        self._documents += 1
        if self._documents > 1:
            self.source.fail("a second YAML document starts here", start, "Keep one document in a file.")
        if event.version not in (None, (1, 2)):
            version = ".".join(map(str, event.version))
            self.source.fail(f"squall reads YAML 1.2, not {version}", 0, "Take the %YAML line out.")

    def _scalar(self, event: Any) -> None:
        start = event.start_mark.index
        text: str = event.value
        if _SURROGATE.search(text):
            text = self._joined(text, start)
        value = self._resolved(event, text, start)
        if self._awaits_key():
            if event.anchor is not None:
                self._anchors[event.anchor] = _Anchor(value, Spot(start), 1, 0)
            self._key(value, text, start)
            return
        self._add(value, Spot(start), event.anchor, 1, 0)

    def _joined(self, text: str, start: int) -> str:
        """`text` with pairs of escaped surrogates made the one character that they stand for."""
        try:
            return text.encode("utf-16", "surrogatepass").decode("utf-16")
        except UnicodeDecodeError:
            return self.source.fail("half of a surrogate pair is no character", start, "Write the character itself.")

    def _resolved(self, event: Any, text: str, start: int) -> Any:
        tag = None if event.ctag is None else str(event.ctag)
        if tag in (None, "!"):
            return self._plain(text, start) if event.implicit[0] and tag is None else text
        name = str(tag).removeprefix(_YAML_TAG)
        if name == "str":
            return text
        value = self._plain(text, start)
        wanted = {"null": type(None), "bool": bool, "int": int, "float": float}.get(name)
        if wanted is None or not str(tag).startswith(_YAML_TAG):
            self._refuse_tag(event, start)
        if wanted is float and type(value) is int:
            return float(value)
        if type(value) is not wanted:
            self.source.fail(f"{shown(text)} is no {name}, as its tag says", start, "Take the tag away.")
        return value

    def _plain(self, text: str, start: int) -> Any:
        """The value of an unquoted scalar in YAML 1.2's core schema."""
        if text in _NULL:
            return None
        if text in _BOOL:
            return _BOOL[text]
        if text[0] not in _NUMBER_START:
            return text
        if _INT.fullmatch(text):
            return self._integer(text, start)
        if _FLOAT.fullmatch(text):
            return float(text)
        special = _SPECIAL_FLOAT.fullmatch(text)
        if special and (special[2] or not special[1]):
            return float(f"{special[1]}{'inf' if special[2] else 'nan'}")
        return text

    def _integer(self, text: str, start: int) -> int:
        base = {"0o": 8, "0x": 16}.get(text[:2], 10)
        try:
            return int(text[2:] if base != 10 else text, base)  # noqa: PLR2004 (the base of plain digits)
        except ValueError:
            return self.source.fail(f"the number {shown(text)} is too long", start, "Put it in quotes if it is text.")

    def _refuse_tag(self, event: Any, start: int) -> None:
        tag = str(event.ctag).replace(_YAML_TAG, "!!")
        self.source.fail(f"the tag {shown(tag)} is not plain data", start, "Take the tag away; logic lives in Python.")

    def _awaits_key(self) -> bool:
        return bool(self._stack) and type(self._stack[-1].value) is dict and self._stack[-1].key is None

    def _key(self, value: Any, text: str, start: int) -> None:
        top = self._stack[-1]
        if text == "<<":
            self.source.fail("merge keys ('<<') are not part of YAML 1.2", start, "Write the keys out.")
        if type(value) is not str:
            self.source.fail(f"the key {text or 'null'} is not text", start, _QUOTE_KEY)
        if value in top.value:
            self.source.fail_twice(value, start, top.spots[value].key)
        top.key = value
        top.key_at = start

    def _open(self, event: Any, value: Any) -> None:
        start = event.start_mark.index
        if event.ctag is not None and str(event.ctag) not in ("!", _YAML_TAG + _COLLECTION_TAGS[type(event)]):
            self._refuse_tag(event, start)
        if self._awaits_key():
            self.source.fail("a key cannot be a list or a mapping", start, _QUOTE_KEY)
        if len(self._stack) >= MAX_DEPTH:
            self.source.fail(TOO_DEEP, start, "Flatten it.")
        if event.anchor is not None:
            self._anchors.pop(event.anchor, None)
        self._stack.append(_Open(value, start, event.anchor))

    def _close(self) -> None:
        done = self._stack.pop()
        self._add(done.value, done.spot, done.anchor, done.size, done.height)

    def _alias(self, event: Any) -> None:
        start = event.start_mark.index
        name = event.anchor
        anchor = self._anchors.get(name)
        if anchor is None:
            if any(part.anchor == name for part in self._stack):
                self.source.fail(f"the alias *{name} stands inside what it names", start, "Data cannot hold itself.")
            self.source.fail(f"the alias *{name} names no anchor above it", start, f"Mark the value with &{name}.")
        if self._awaits_key():
            self._key(anchor.value, f"*{name}", start)
            return
        self._aliased += anchor.size
        if self._aliased > MAX_ALIASED:
            message = f"the aliases of this document stand for more than {MAX_ALIASED:,} values"
            self.source.fail(message, start, "Write less by alias.")
        if len(self._stack) + anchor.height > MAX_DEPTH:
            self.source.fail(TOO_DEEP, start, "Flatten it.")
        self._add(_copied(anchor.value), Spot(start, anchor.spot.children), None, anchor.size, anchor.height)

    def _add(self, value: Any, spot: Spot, anchor: str | None, size: int, height: int) -> None:
        if anchor is not None:
            self._anchors[anchor] = _Anchor(value, spot, size, height)
        if not self._stack:
            self._root = (value, spot)
            return
        top = self._stack[-1]
        top.size += size
        top.height = max(top.height, height + 1)
        if top.key is None:
            top.spots[len(top.value)] = spot
            top.value.append(value)
        else:
            spot.key = top.key_at
            top.spots[top.key] = spot
            top.value[top.key] = value
            top.key = None


def _copied(value: Any) -> Any:
    """A copy, so that two places of a document never share a mapping or list."""
    if type(value) is dict:
        return {key: _copied(item) for key, item in value.items()}
    if type(value) is list:
        return [_copied(item) for item in value]
    return value
