"""What is kept for later requests has its bounds."""

from __future__ import annotations

import sys

import pytest

from squall.wire.shelf import Shelf, weight


def test_the_oldest_goes_where_there_are_too_many():
    shelf: Shelf[str] = Shelf(most=2)
    assert [shelf.put(name, name.upper(), 1) for name in "abc"] == [[], [], ["A"]]
    assert (list(shelf), list(shelf.values()), shelf.get("a"), shelf.get("c")) == (["b", "c"], ["B", "C"], None, "C")


def test_the_oldest_go_where_all_is_too_heavy_but_the_newest_stays():
    shelf: Shelf[str] = Shelf(heaviest=10)
    assert [shelf.put(name, name, 4) for name in "abc"] == [[], [], ["a"]]
    assert shelf.put("d", "d", 99) == ["b", "c"]
    assert list(shelf) == ["d"]
    assert shelf.put("e", "e", 1) == ["d"]
    assert shelf.put("f", "f", 9) == []


def test_what_is_taken_away_or_put_again_weighs_nothing_any_more():
    shelf: Shelf[str] = Shelf(heaviest=10)
    for _ in range(5):
        assert shelf.put("a", "a", 6) in ([], ["a"])
    assert shelf.put("b", "b", 4) == []
    assert (shelf.pop("a"), shelf.pop("a")) == ("a", None)
    assert shelf.put("c", "c", 6) == []


def test_what_is_changed_stays_where_it_is():
    shelf: Shelf[str] = Shelf(most=2)
    for name in "ab":
        shelf.put(name, name, 1)
    shelf.change("a", "A")
    shelf.change("z", "Z")
    assert list(shelf.values()) == ["A", "b"]
    assert shelf.put("c", "c", 1) == ["A"]


@pytest.mark.parametrize(
    "value", ["x" * 100_000, ["word"] * 5_000, [{"role": "user", "content": f"{n}"} for n in range(5_000)]]
)
def test_values_weigh_what_they_take_or_more(value):
    def size(each):
        below = each if isinstance(each, list) else [*each, *each.values()] if isinstance(each, dict) else []
        return sys.getsizeof(each) + sum(map(size, below))

    assert size(value) / 3 < weight(value) < size(value) * 3
