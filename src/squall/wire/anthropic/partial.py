"""What is left of an object whose JSON is cut: the members that had come, as a provider's own parser keeps them."""

from __future__ import annotations

import re
from typing import Any

import msgspec

DEEPEST = 200
TRIES = 64
MARKS = re.compile(r'"(?:[^"\\]|\\.)*"?|[{}\[\],]', re.DOTALL)
CLOSING = {"{": "}", "[": "]"}


def read(text: str) -> dict[str, Any]:
    """The object that a JSON text is, or the beginning of; an empty one if it is none."""
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
        value = _begun(text)
    return value if isinstance(value, dict) else {}


def _begun(text: str) -> Any:
    for end, closing in _ends(text)[: -TRIES - 1 : -1]:
        try:
            return msgspec.json.decode(text[:end] + closing)
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            continue
    return {}


def _ends(text: str) -> list[tuple[int, str]]:
    """Places where the text could have ended, in order, and what would close it there."""
    ends: list[tuple[int, str]] = []
    closing = ""
    for mark in MARKS.finditer(text):
        sign = mark[0]
        if sign in CLOSING:
            closing = CLOSING[sign] + closing
            ends.append((mark.end(), closing))
        elif sign == ",":
            ends.append((mark.start(), closing))
        elif sign in {"}", "]"}:
            closing = closing[1:]
        if len(closing) > DEEPEST:
            return ends
    return [*ends, (len(text), closing)]
