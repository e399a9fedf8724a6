from __future__ import annotations

import pytest

from squall.checks.story.emptiness import is_empty


@pytest.mark.parametrize(
    "value",
    [
        None, "", "  ", "[]", [], {}, {"results": []}, {"items": [], "total": 0}, {"query": "x", "results": []},
        {"hits": {"total": {"value": 0}, "hits": []}}, {"data": {"items": []}}, {"results": None}, {"answer": ""},
        "No results found", "No results found.", "No matches.", "0 results", "nothing found", "No orders found for 'x'",
        "There are no matching records.", "None", "N/A", [{"type": "text", "text": "No results found"}],
    ],
)  # fmt: skip
def test_what_found_nothing_is_empty(value):
    assert is_empty(value)


@pytest.mark.parametrize(
    "value",
    [
        0, False, "0", "ok", [0], [[]], {"results": [1]}, {"items": [], "total": 3}, {"id": 7, "notes": []},
        {"name": "Ann", "orders": []}, {"status": "ok"}, {"results": [], "suggestions": ["x"]}, {"count": 0},
        "No results found, but here is what comes near: a, b", "Nothing is impossible: see page 3", "No",
        {"results": "one"}, [{"type": "image", "data": "…"}],
    ],
)  # fmt: skip
def test_what_says_anything_is_not(value):
    assert not is_empty(value)
