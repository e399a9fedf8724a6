"""Markers that are nearly squall's: pytest would warn of them at most, and the test would pass without its faults.

Knows the words and where they stand; what a marker means is not known here.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

import pytest

from squall.errors import Problem
from squall.pytest_plugin.places import place_of

CLOSE = 0.75
HINT = "If it is yours, register it under `markers` in pytest's ini file."


def near_misses(item: pytest.Item, known: Collection[str], ours: Collection[str], *, asks: bool) -> Iterator[Problem]:
    """The markers of `item` that nobody has registered and that one of `ours` is close to.

    Ours all take a value. One without is somebody's label, unless the test `asks` for something of squall's besides.
    """
    for carrier, mark in item.iter_markers_with_node():
        if mark.name not in known and (mark.args or mark.kwargs or asks) and (close := _close(mark.name, ours)):
            at = place_of(carrier, mark.name)  # type: ignore[arg-type]  # a mark's carrier is an item or a collector
            yield Problem(f"nobody knows the marker {mark.name!r}", at, close, HINT)


def _close(word: str, ours: Collection[str]) -> str | None:
    same = [name for name in ours if name[0] == word[0]]  # typos seldom hit the first letter
    if not same:
        return None
    from difflib import get_close_matches  # 7 ms

    return next(iter(get_close_matches(word.lower(), same, n=1, cutoff=CLOSE)), None)
