"""Which argument is another one each time, where two runs of the same make calls that differ. Knows their traces."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from squall.decide.point import STAMP_LIKE, UUID_LIKE
from squall.interpose.opaque import renamed
from squall.runs.exploring.details import Details
from squall.trace.kinds import ModelCall, ToolCall
from squall.trace.line import decode

EACH = "*"
"""An item of a list, in a path."""


def differing(one: Details, other: Details) -> str:
    """The path of the first argument that differs, such as `order` or `messages.*.content`; "" where none does.

    What makes no other point (ids, the current time) is passed over.
    """
    for first, second in zip(_calls(one), _calls(other), strict=False):
        if first[0] != second[0]:
            return ""
        if path := _path(first[1], second[1], first[2]):
            return path
    return ""


def _calls(details: Details) -> Iterator[tuple[str, Any, Sequence[str]]]:
    """Each call: its target, what it was given, and the paths in it that make no other point."""
    for line in details.lines:
        _, event = decode(line)
        if isinstance(event, ToolCall):
            yield event.target, event.args, event.masked
        elif isinstance(event, ModelCall):
            yield event.target, renamed({"messages": event.messages, "tools": event.tools, **event.asked}), ()


def _path(one: Any, other: Any, masked: Sequence[str], at: tuple[str, ...] = ()) -> str:
    if one == other or ".".join(at) in masked:
        return ""
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        named = dict.fromkeys([*one, *other])
        return _first(lambda name: _path(one.get(name), other.get(name), masked, (*at, str(name))), named)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return _first(lambda place: _path(one[place], other[place], masked, (*at, EACH)), range(len(one)))
    if isinstance(one, str) and isinstance(other, str):
        alike = any(kind.match(one) and kind.match(other) for kind in (UUID_LIKE, STAMP_LIKE))
        return "" if alike else ".".join(at)
    return ".".join(at)


def _first(path: Callable[[Any], str], parts: Any) -> str:
    return next(filter(None, map(path, parts)), "")
