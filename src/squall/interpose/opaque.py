"""The ids in a request to a model that say nothing but what belongs together: of calls of tools, items, responses.

Whoever answers mints them anew in each run, so that a request which is the same otherwise has other ones each time.
Knows where the three APIs have them, and nothing of what they are for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

IDS = ("id", "call_id", "tool_call_id", "tool_use_id", "approval_request_id")
WITHIN = ("tool_calls", "content")  # never a call's own arguments, whose ids are the world's
DEEPEST = 3  # a message, the result of a tool in it, a block of that
LISTS = ("messages", "input")
BEFORE = "previous_response_id"


def renamed(body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The body with its opaque ids named by the order in which they come up; itself where it has none.

    Equal ids stay equal and others differ: only their spelling is gone. What was handed in is left as it is.
    """
    names: dict[str, str] = {}
    found: dict[str, Any] = {}
    if isinstance(before := body.get(BEFORE), str):
        found[BEFORE] = _name(before, names)
    for field in LISTS:
        if isinstance(items := body.get(field), list):
            found[field] = [_item(item, names, DEEPEST) for item in items]
    return {**body, **found} if names else body


def _item(item: Any, names: dict[str, str], depth: int) -> Any:
    if not isinstance(item, dict):  # of JSON, and faster to ask than whether it is a mapping
        return item
    new: dict[str, Any] = {}
    for field in IDS:
        if field in item and isinstance(value := item[field], str):
            new[field] = names.get(value) or _name(value, names)
    if depth > 1:
        for field in WITHIN:
            if field in item and isinstance(inner := item[field], list):
                new[field] = [_item(each, names, depth - 1) for each in inner]
    return {**item, **new} if new else item


def _name(value: str, names: dict[str, str]) -> str:
    return names.setdefault(value, f"id {len(names) + 1}")
