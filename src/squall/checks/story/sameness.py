"""Whether two calls are the same call, and two results the same result: time stamps, counters and ids are masked.

What shows progress (`progress`, `percent`, `status`, `count`) is not masked: a poll that moves gives other results. A
result that is nothing but what would be masked (the time itself) is compared as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from squall.checks.story.content import as_text
from squall.checks.story.shapes import NOT_JSON, ToolStep

VOLATILE = frozenset(
    "timestamp ts time datetime now date at checked_at fetched_at generated_at served_at retrieved_at "
    "queried_at updated_at last_checked last_updated request_id requestid trace_id traceid correlation_id "
    "span_id etag nonce cursor session_id attempt attempts request_count call_count calls call_number seq "
    "sequence elapsed elapsed_ms elapsed_seconds duration duration_ms latency latency_ms took took_ms "
    "response_time uptime expires_in ttl age_seconds rate_limit_remaining ratelimit_remaining".split()
)
"""Names of fields that differ from call to call whatever was found, in small letters."""
STAMPS = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?"
    r"|\b\d\d:\d\d:\d\d(?:\.\d+)?\b"
    r"|\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b"
    r"|\b1[0-9]{9}(?:\d{3})?(?:\.\d+)?\b"
    r"|\b\d+(?:\.\d+)? ?(?:ms|µs|milliseconds?)\b"
    r"|\b(?:attempt|request|call|try|retry|req)(?: no\.?| number)? ?#?\d+\b",
    re.IGNORECASE,
)
MASK = "▒"
LEFT = re.compile(r"[^\W_]")


def call_key(step: ToolStep) -> tuple[str, str]:
    """What a call is the same by: the tool and its arguments."""
    return step.tool, as_text(None if step.arguments is NOT_JSON else step.arguments)


def result_key(step: ToolStep) -> str:
    """What a result is the same by."""
    if step.failed is not None:
        return f"failed: {_of_text(step.error or step.text)}"
    if isinstance(step.result, str):
        return _of_text(step.result)
    masked = as_text(_masked(step.result))
    return masked if LEFT.search(_values(masked)) or not step.result else as_text(step.result)


def _of_text(text: str) -> str:
    masked = STAMPS.sub(MASK, text)
    return masked if LEFT.search(masked) else text


def _masked(value: Any) -> Any:
    if isinstance(value, str):
        return STAMPS.sub(MASK, value)
    if isinstance(value, Mapping):
        return {name: MASK if str(name).lower() in VOLATILE else _masked(inner) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_masked(inner) for inner in value]
    return value


def _values(masked: str) -> str:
    """JSON without the names of its fields."""
    return re.sub(r'"[^"]*":', "", masked)
