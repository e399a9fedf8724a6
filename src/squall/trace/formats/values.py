"""Values as exporters write them: JSON within text, times in four forms, numbers as text.

Lenient: nothing here raises.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from squall.trace.line import encode

SECOND = 1_000_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LATEST = 10**20  # nanoseconds, or whatever a file takes for them
MICROSECOND = timedelta(microseconds=1)


def listed(value: Any) -> list[dict[str, Any]]:
    """The objects of a list; nothing where it is none."""
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def mapped(value: Any) -> dict[str, Any]:
    """An object; an empty one where it is none."""
    return value if isinstance(value, dict) else {}


def text_or_none(value: Any) -> str | None:
    """Text that is not empty."""
    return value if isinstance(value, str) and value else None


def unpacked(value: Any) -> Any:
    """What text holds where it is a JSON object or list; the value else."""
    if isinstance(value, str) and value.lstrip()[:1] in {"{", "["}:
        return parsed(value, value)
    return value


def parsed(text: str, otherwise: Any) -> Any:
    """What JSON text means."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return otherwise


def as_json(value: Any) -> str:
    """A value as text: as it is where it is text, else as JSON."""
    if isinstance(value, str):
        return value
    try:
        return encode(value).decode()
    except (TypeError, ValueError, RecursionError, OverflowError):
        return str(value)


def nanoseconds(value: Any) -> int | None:
    """A time: whole nanoseconds, also as text, seconds as a float, or ISO 8601. None where it is none of these."""
    if isinstance(value, bool) or value is None:
        return None
    if isinstance(value, int):
        return _sane(value if value > SECOND**2 // 100 else value * SECOND)
    if isinstance(value, float):
        return _sane(round(value * SECOND)) if abs(value) < LATEST else None
    if not isinstance(value, str):
        return None
    if value.isdigit() and value.isascii() and len(value) <= len(str(LATEST)):
        return nanoseconds(int(value))
    try:
        when = datetime.fromisoformat(value)
        when = when if when.tzinfo is not None else when.replace(tzinfo=UTC)
        return _sane((when - EPOCH) // MICROSECOND * 1000)
    except (ValueError, OverflowError):
        return None


def _sane(value: int) -> int | None:
    return value if 0 <= value < LATEST else None


def counted(usage: Any, **names: tuple[str, ...]) -> dict[str, int]:
    """Numbers of tokens under neutral names: `counted(usage, input=("prompt_tokens", "input_tokens"))`."""
    found = {}
    for name, theirs in names.items():
        value = next((mapped(usage)[their] for their in theirs if their in mapped(usage)), None)
        if isinstance(value, str) and value.isdigit():
            value = parsed(value, None)
        if isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < LATEST:
            found[name] = int(value)
    return found


def tokens(usage: Any) -> dict[str, int]:
    """Numbers of tokens by the names that providers and frameworks give them."""
    return counted(
        usage,
        input=("input_tokens", "prompt_tokens", "input", "promptTokens", "inputTokens"),
        output=("output_tokens", "completion_tokens", "output", "completionTokens", "outputTokens"),
    )
