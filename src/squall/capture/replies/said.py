"""What a model said, in neutral words, and small readers of what may be anything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

NOTHING: Mapping[str, Any] = {}


class Said(msgspec.Struct):
    """`ended`: the answer says that it is complete, a stream by its last event. `response` is the body, or a part.

    `finish` is `stop`, `length`, `tool_calls`, `content_filter`, `refusal`, or the provider's own word.
    """

    text: str | None = None
    calls: list[dict[str, Any]] = []
    finish: str | None = None
    usage: dict[str, int] = {}
    error: str | None = None
    ended: bool = True
    id: str | None = None
    response: Any = None


def mapping(value: Any) -> Mapping[str, Any]:
    """The value, or nothing where it is no object. Bodies are read from JSON, where objects are dicts."""
    return value if isinstance(value, dict) else NOTHING


def listed(value: Any) -> list[Mapping[str, Any]]:
    """The objects in a list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list | tuple) else []


def text_of(value: Any) -> str:
    """The value where it is text."""
    return value if isinstance(value, str) else ""


def place_of(value: Any) -> int | str | None:
    """The place that a piece of an answer names, by which pieces belong together; None where it names none."""
    return value if isinstance(value, int | str) else None


def problem_in(body: Mapping[str, Any]) -> str | None:
    """The error that a body holds, in its own words."""
    error = body.get("error")
    if not error:
        return None
    found = mapping(error)
    return text_of(found.get("message")) or text_of(found.get("code")) or text_of(error) or "error"


def counted(usage: Any, **names: str) -> dict[str, int]:
    """Numbers of tokens under neutral names."""
    found = mapping(usage)
    return {name: found[theirs] for name, theirs in names.items() if isinstance(found.get(theirs), int)}
