"""JSON as plain data with positions: strict (no NaN, no comments, no key twice). Knows nothing of what it means."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NamedTuple, NoReturn

from squall.documents.positions import MAX_DEPTH, TOO_DEEP, Parsed, Spot, Text
from squall.errors import shown

_TOKEN = re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"?|[{}\[\]:,]|[^\s{}\[\]:,"]+')
_NOT_JSON = re.compile(r"-?Infinity|NaN")
_SURROGATE = re.compile("[\ud800-\udfff]")


class _Token(NamedTuple):
    text: str
    start: int


def parse(source: Text) -> Parsed:
    """The document's data and spots, or UsageError at the place that is wrong."""
    tokens = [_Token(found.group(), found.start()) for found in _TOKEN.finditer(source.text)]
    _check_depth(source, tokens)
    try:
        data = json.loads(source.text, parse_constant=_refuse)
    except json.JSONDecodeError as error:
        message = re.sub(r"(?: starting)? at$", "", error.msg[:1].lower() + error.msg[1:])
        source.fail(f"this is not valid JSON: {message}", min(error.pos, len(source.text)))
    except ValueError:
        _fail_at_token(source, tokens)
    return Parsed(data, _spots(source, iter(tokens)))


def _check_depth(source: Text, tokens: list[_Token]) -> None:
    depth = 0
    for token in tokens:
        if token.text in ("{", "["):
            depth += 1
            if depth > MAX_DEPTH:
                source.fail(TOO_DEEP, token.start, "Flatten it.")
        elif token.text in ("}", "]"):
            depth -= 1


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _fail_at_token(source: Text, tokens: list[_Token]) -> NoReturn:
    """Say which word the decoder refused: one that is not JSON, or a number longer than Python converts."""
    for token in tokens:
        if _NOT_JSON.fullmatch(token.text):
            source.fail(f"{token.text} is no JSON", token.start, "Write a finite number.")
        if token.text.lstrip("-").isdigit():
            try:
                int(token.text)
            except ValueError:
                source.fail(f"the number {shown(token.text)} is too long", token.start, "Put it in quotes.")
    source.fail("this is not valid JSON", 0)


def _spots(source: Text, tokens: Iterator[_Token]) -> Spot:
    """The spots of a text that is known to be valid JSON."""
    return _spot(source, next(tokens), tokens)


def _spot(source: Text, first: _Token, tokens: Iterator[_Token]) -> Spot:
    children: dict[str | int, Spot] = {}
    if first.text == "[":
        for token in tokens:
            if token.text == "]":
                break
            if token.text != ",":
                children[len(children)] = _spot(source, token, tokens)
    elif first.text == "{":
        for token in tokens:
            if token.text == "}":
                break
            if token.text != ",":
                _member(source, token, tokens, children)
    else:
        _check_text(source, first)
        return Spot(first.start)
    return Spot(first.start, children)


def _member(source: Text, key: _Token, tokens: Iterator[_Token], children: dict[str | int, Spot]) -> None:
    _check_text(source, key)
    name = json.loads(key.text)
    if name in children:
        source.fail_twice(name, key.start, children[name].key)
    next(tokens)  # the colon
    spot = _spot(source, next(tokens), tokens)
    spot.key = key.start
    children[name] = spot


def _check_text(source: Text, token: _Token) -> None:
    if "\\u" in token.text and _SURROGATE.search(json.loads(token.text)):
        source.fail("half of a surrogate pair is no character", token.start, "Write the character itself.")
