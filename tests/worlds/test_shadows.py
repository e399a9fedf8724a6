from __future__ import annotations

import pytest

from squall.worlds.shadows import saying


class Api:
    def __init__(self):
        self.name = "shop"
        self.clock = object()

    def snapshot(self):
        """All rows."""
        return {}

    @property
    def revision(self):
        return 0


def test_a_method_still_works_and_says_what_it_is_not():
    kept = saying(Api(), "snapshot", "a.snapshot")["snapshot"]
    assert kept() == {}
    with pytest.raises(
        AttributeError, match=r"world.snapshot is not a table; .*world\['snapshot'\] \(asked for 'get'\)"
    ):
        kept.get("1")


def test_a_value_stays_equal_to_itself_and_says_what_it_is_not():
    kept = saying(Api(), "name", "a.name")["name"]
    assert kept == "shop"
    assert type(kept).__mro__[1] is str
    with pytest.raises(AttributeError, match=r"world.name is not a table"):
        kept.where(n=1)


def test_what_cannot_say_it_is_left_alone():
    assert saying(Api(), "clock", "a.clock") == {}
    assert saying(Api(), "revision", "a.revision") == {}
