"""`GET /v1/models` and `/v1/models/ID` in Anthropic's shape: pages of models, and one of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from squall.call import BadRequest

PAGE, MOST = 20, 1000
DIGITS = 9
UNKNOWN_DAY = "1970-01-01T00:00:00Z"  # Anthropic's own word for a release that nobody knows the day of
STAGES = ("active", "deprecated", "retired")


def one(models: Sequence[str], name: str) -> dict[str, Any]:
    """The model of a name. Raises `BadRequest` with the status 404."""
    if name not in models:
        raise BadRequest(f"model: {name}", status=404)
    return _described(name)


def page(models: Sequence[str], query: Mapping[str, str]) -> dict[str, Any]:
    """A page of the models, in their order, as `limit`, `after_id`, `before_id` and `lifecycle` ask for it.

    Nothing comes after or before a model that is not there.
    """
    limit = _limit(query.get("limit"))
    after, before = query.get("after_id"), query.get("before_id")
    rest = list(models) if _stage(query.get("lifecycle[]", query.get("lifecycle"))) == "active" else []
    if after is not None:
        rest = rest[rest.index(after) + 1 :] if after in rest else []
    if before is not None:
        rest = rest[: rest.index(before)] if before in rest else []
    shown = rest[-limit:] if before is not None else rest[:limit]
    return {
        "data": [_described(name) for name in shown],
        "has_more": len(shown) < len(rest),
        "first_id": shown[0] if shown else None,
        "last_id": shown[-1] if shown else None,
    }


def _described(name: str) -> dict[str, Any]:
    return {
        "type": "model",
        "id": name,
        "display_name": name,
        "created_at": UNKNOWN_DAY,
        "lifecycle": STAGES[0],
        "line": None,
        "capabilities": None,
        "max_input_tokens": None,
        "max_tokens": None,
        "deprecated_at": None,
        "retires_at": None,
    }


def _limit(value: str | None) -> int:
    if value is None:
        return PAGE
    if not (value.isascii() and value.isdigit() and len(value) <= DIGITS and 1 <= int(value) <= MOST):
        raise BadRequest(f"limit: expected a whole number from 1 to {MOST}", param="limit")
    return int(value)


def _stage(value: str | None) -> str:
    if value is not None and value not in STAGES:
        raise BadRequest(f"lifecycle: expected one of {', '.join(map(repr, STAGES))}", param="lifecycle")
    return value or STAGES[0]
