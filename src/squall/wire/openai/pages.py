"""One page of a list, as the provider's cursors have it: `after` an id, at most `limit`, in an `order`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from squall.wire.openai import refusals

DEFAULT, MOST = 20, 100
ORDERS = ("asc", "desc")


def page(items: Sequence[Mapping[str, Any]], query: Mapping[str, str], *, order: str = "asc") -> dict[str, Any]:
    """The page of `items` (oldest first, each with its `id`) that a query asks for. An unknown `after` gives none."""
    limit = _limit(query.get("limit"))
    asked = query.get("order") or order
    if asked not in ORDERS:
        raise refusals.not_one_of("order", asked, ORDERS)
    ordered = list(items) if asked == "asc" else list(reversed(items))
    after = query.get("after")
    if after:
        ids = [item["id"] for item in ordered]
        ordered = ordered[ids.index(after) + 1 :] if after in ids else []
    shown = ordered[:limit]
    return {
        "object": "list",
        "data": shown,
        "first_id": shown[0]["id"] if shown else "",
        "last_id": shown[-1]["id"] if shown else "",
        "has_more": len(ordered) > len(shown) > 0,
    }


def _limit(text: str | None) -> int:
    if text is None or not text:
        return DEFAULT
    try:
        limit = int(text)
    except ValueError:
        raise refusals.wrong_type("limit", "an integer", text) from None
    if limit < 0:
        raise refusals.out_of_range("limit", limit, least=0)
    if limit > MOST:
        raise refusals.out_of_range("limit", limit, most=MOST)
    return limit
