"""The events of a stream, from its bytes: server-sent events, as far as providers use them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

GAP = re.compile(rb"\r\n\r\n|\n\n|\r\r")
LINE = re.compile(rb"\r\n|\n|\r")
DONE = b"[DONE]"


class EventText(NamedTuple):
    """One event: its name, and its data as JSON; None where they are none (`done`: the mark at the end)."""

    name: str
    data: Any
    done: bool = False


def events_in(content: bytes) -> Iterator[EventText]:
    """The events that came whole."""
    *whole, _rest = GAP.split(content)
    for block in whole:
        name, parts = "", []
        for line in LINE.split(block):
            field, _, value = line.partition(b":")
            value = value.removeprefix(b" ")
            if field == b"data":
                parts.append(value)
            elif field == b"event":
                name = value.decode("utf-8", "replace")
        if parts:
            yield _event(name, b"\n".join(parts))


def _event(name: str, data: bytes) -> EventText:
    if data.startswith(DONE):
        return EventText(name, None, done=True)
    try:
        return EventText(name, msgspec.json.decode(data))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return EventText(name, None)
