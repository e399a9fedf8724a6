"""TOML as plain data with positions: the standard library reads the data, a scan of its own finds the places.

Dates and times become ISO 8601 text. Knows nothing of what a document means.
"""

from __future__ import annotations

import datetime as dt
import re
import tomllib
from contextlib import suppress
from typing import Any, NamedTuple

from squall.documents.positions import MAX_DEPTH, TOO_DEEP, Parsed, Spot, Text

_TOKEN = re.compile(
    r'''(?P<comment>\#[^\n]*)
    |(?P<long>"""(?:[^"\\]++|\\.|"{1,2}(?!"))*+"{0,5}|\'\'\'(?:[^']++|'{1,2}(?!'))*+'{0,5})
    |(?P<quoted>"(?:[^"\\\n]++|\\[^\n])*+"?|'[^'\n]*'?)
    |(?P<newline>\n)
    |(?P<mark>[\[\]{}=,.])
    |(?P<bare>[^\s\[\]{}=,.\#"']+)
    ''',
    re.VERBOSE | re.DOTALL,
)
_PLACE = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)$")
_TWICE = re.compile(r"overwrite|[Dd]uplicate")


class _Token(NamedTuple):
    kind: str
    text: str
    start: int


def parse(source: Text) -> Parsed:
    """The document's data and spots, or UsageError at the place that is wrong."""
    tokens = [_Token(m.lastgroup or "", m.group(), m.start()) for m in _TOKEN.finditer(source.text)]
    tokens = [*(token for token in tokens if token.kind != "comment"), _Token("end", "", len(source.text))]
    _check_depth(source, tokens)
    try:
        data = tomllib.loads(source.text)
    except tomllib.TOMLDecodeError as error:
        if _TWICE.search(str(error)):
            with suppress(IndexError):  # what follows the mistake may end too early for the scan
                _Scan(source, tokens)  # knows where the key stood first
        _fail(source, error)
    except ValueError:
        start = max(tokens, key=lambda token: len(token.text) if token.kind == "bare" else 0).start
        source.fail("this number has more digits than can be read", start, "Put it in quotes.")
    root = _Scan(source, tokens).root
    return Parsed(_plain(data), root)


def _check_depth(source: Text, tokens: list[_Token]) -> None:
    """Refuse deep brackets and long dotted keys before a parser spends time or stack on them."""
    brackets = dots = 0
    for token in tokens:
        if token.text in ("[", "{"):
            brackets += 1
        elif token.text in ("]", "}"):
            brackets = max(brackets - 1, 0)
        elif token.text == ".":
            dots += 1
        elif token.kind == "newline" or token.text in ("=", ","):
            dots = 0
        if brackets + dots > MAX_DEPTH:
            source.fail(TOO_DEEP, token.start, "Flatten it.")


def _fail(source: Text, error: tomllib.TOMLDecodeError) -> None:
    text = str(error)
    place = _PLACE.search(text)
    message = text[: place.start()] if place else text
    offset = len(source.text)
    if place and place[1]:
        offset = source.offset(int(place[1]), int(place[2]))
    source.fail(f"this is not valid TOML: {message[:1].lower()}{message[1:]}", offset)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if isinstance(value, (dt.datetime, dt.date, dt.time)):
        return re.sub(r"\+00:00$", "Z", value.isoformat())
    return value


class _Scan:
    """Walks the tokens of a text and builds its spots. The text is valid TOML, or is so up to a key given twice."""

    def __init__(self, source: Text, tokens: list[_Token]) -> None:
        self._source = source
        self._tokens = tokens
        self._next = 0
        self.root = Spot(0, {})
        table = self.root
        while self._peek().kind != "end":
            token = self._peek()
            if token.kind == "newline":
                self._next += 1
            elif token.text == "[":
                table = self._header()
            else:
                self._pair(table)

    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        self._next += 1
        return self._tokens[self._next - 1]

    def _skip(self, *texts: str) -> None:
        while self._peek().kind == "newline" or self._peek().text in texts:
            self._next += 1

    def _key(self) -> list[_Token]:
        parts = [self._take()]
        while self._peek().text == ".":
            self._next += 1
            parts.append(self._take())
        return parts

    def _header(self) -> Spot:
        start = self._take().start
        many = self._peek().text == "[" and self._peek().start == start + 1
        self._next += many
        *above, last = self._key()
        self._next += 1 + many
        table = self._descend(self.root, above)
        if many:
            rows = _child(table, _name(last), last.start)
            return _child(rows, len(rows.children), start)
        spot = _child(table, _name(last), last.start)
        spot.start, spot.key = start, last.start
        return spot

    def _descend(self, table: Spot, parts: list[_Token]) -> Spot:
        for part in parts:
            table = _child(table, _name(part), part.start)
            if 0 in table.children:  # tables of an array: a header means the last one
                table = table.children[len(table.children) - 1]
        return table

    def _pair(self, table: Spot) -> None:
        *above, last = self._key()
        table = self._descend(table, above)
        self._next += 1  # the equals sign
        spot = self._value()
        spot.key = last.start
        children, name = _children(table), _name(last)
        if name in children:
            self._source.fail_twice(name, last.start, children[name].key)
        children[name] = spot

    def _value(self) -> Spot:
        token = self._take()
        spot = Spot(token.start)
        if token.text == "[":
            spot = Spot(token.start, {})
            self._skip()
            while self._peek().text != "]":
                _children(spot)[len(spot.children)] = self._value()
                self._skip(",")
            self._next += 1
        elif token.text == "{":
            spot = Spot(token.start, {})
            self._skip()
            while self._peek().text != "}":
                self._pair(spot)
                self._skip(",")
            self._next += 1
        else:  # a number or a time may be several tokens (`1.5`, `07:30:00.25`, `1979-05-27 07:32:00`)
            while self._peek().kind == "bare" or self._peek().text == ".":
                self._next += 1
        return spot


def _children(spot: Spot) -> dict[str | int, Spot]:
    if not isinstance(spot.children, dict):
        spot.children = {}
    return spot.children


def _child(spot: Spot, name: str | int, start: int) -> Spot:
    """The spot under `name`, made where it is not there yet."""
    return _children(spot).setdefault(name, Spot(start, {}))


def _name(token: _Token) -> str:
    """The key that a token spells."""
    if token.kind != "quoted":
        return token.text
    try:
        name: str = tomllib.loads(f"key = {token.text}")["key"]
    except tomllib.TOMLDecodeError:  # behind a mistake in the text, which is reported anyway
        return token.text
    return name
