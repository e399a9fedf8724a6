"""Contents and arguments as text and values, whatever form they came in. Lenient: nothing here raises."""

from __future__ import annotations

from typing import Any

import msgspec

from squall.checks.story.shapes import NOT_JSON, Use
from squall.trace.line import encode

TEXTS = ("text", "refusal", "output_text", "input_text")
"""Where a part of a content keeps its words, by any provider."""

LISTS = (list, tuple)

_decode = msgspec.json.Decoder().decode


def text_of(content: Any) -> str:
    """The words of a content: its parts joined by newlines, without pictures, sounds and thoughts."""
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return next((word for name in TEXTS if isinstance(word := content.get(name), str)), "")
    if isinstance(content, LISTS):
        return "\n".join(words for part in content if (words := text_of(part)))
    return ""


def as_text(value: Any) -> str:
    """A result as a model is told it: text as it is, all else as JSON."""
    if isinstance(value, str):
        return value
    try:
        return encode(value).decode()
    except (TypeError, ValueError, RecursionError, OverflowError):
        return str(value)


def read_json(text: str) -> Any:
    """What JSON text means; `NOT_JSON` where it is none."""
    try:
        return _decode(text)
    except (msgspec.DecodeError, ValueError, RecursionError):
        return NOT_JSON


def value_of(text: str) -> Any:
    """What a result's text holds: a JSON object, list or string where it is one, the text else."""
    if text[:1] in '{["' or text.strip() in ("null", '""'):
        value = read_json(text)
        return text if value is NOT_JSON else value
    return text


def use_of(name: Any, arguments: Any, call_id: Any, *, free: bool = False) -> Use:
    """A call as a model asks for it. `arguments` is JSON text, or what it means; of a `free` tool any text."""
    known = call_id if isinstance(call_id, str) and call_id else None
    if free:
        return Use(known, str(name), as_text(arguments), as_text(arguments), free=True)
    if isinstance(arguments, str):
        read = read_json(arguments) if arguments.strip() else {}
        return Use(known, str(name), arguments, read)
    given = {} if arguments is None else arguments
    return Use(known, str(name), as_text(given), given)


def listed(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; nothing where it is no list."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, LISTS) else []


def mapped(value: Any) -> dict[str, Any]:
    """An object; an empty one where it is none."""
    return value if isinstance(value, dict) else {}
