"""Members of a world that share their name with a record, whatever kind of value they are."""

from __future__ import annotations

from typing import Any, cast

import pytest

from squall.clock import VirtualClock
from squall.worlds import World
from squall.worlds.file.loading import VALUES
from squall.worlds.shadows import saying

MEMBERS = sorted({name for name in dir(World) if not name.startswith("_")} | VALUES)


class Api:
    name = "shop"

    def snapshot(self):
        """All rows."""
        return {}


def test_a_method_still_works_and_says_what_it_is_not():
    kept = saying(Api().snapshot, "snapshot")
    assert kept() == {}
    with pytest.raises(
        AttributeError, match=r"world.snapshot is not a table; .*world\['snapshot'\] \(asked for 'get'\)"
    ):
        kept.get("1")


def test_a_value_stays_equal_to_itself_and_says_what_it_is_not():
    kept = saying("shop", "name")
    assert kept == "shop"
    assert type(kept).__mro__[1] is str
    with pytest.raises(AttributeError, match=r"world.name is not a table"):
        kept.where(n=1)


def test_an_object_is_what_it_was_and_says_what_it_is_not():
    clock = VirtualClock()
    kept: Any = saying(clock, "clock")
    assert isinstance(kept, type(clock))
    assert kept == clock
    assert hash(kept) == hash(clock)
    assert repr(kept) == repr(clock)
    kept.advance(5)
    kept.limit = 7.0
    assert (clock.elapsed(), clock.limit) == (5, 7.0)
    with pytest.raises(AttributeError, match=r"world.clock is not a table"):
        cast("Any", kept).where(n=1)


def test_a_mapping_is_asked_for_ids_by_mistake_alone():
    kept = saying({"get_order": 1}, "operations")
    assert (kept["get_order"], kept.get("get_order"), kept.get("nothing"), kept.get("a.b", 5)) == (1, 1, None, 5)
    for ask in (lambda: kept["7"], lambda: kept.get("7"), lambda: kept.get(7)):
        with pytest.raises(KeyError, match=r"world.operations is not a table"):
            ask()


@pytest.mark.parametrize("name", MEMBERS)
def test_each_member_of_a_world_either_is_the_table_or_says_where_it_is(world_of, name):
    world = world_of(f"""
        services:
          a:
            records: {{ {name}: {{ n: int }}, other: {{ n: int }} }}
            seed: {{ count: 2 }}
            operations: {{ get_other: {{ kind: get, record: other }} }}
    """)
    assert world[name].record.name == f"a.{name}"
    assert len(world[name]) == 2
    member = getattr(world, name)
    if member is world[name]:
        assert name == "events"
        return
    with pytest.raises(AttributeError) as caught:
        member.pick(n=1)
    assert f"world[{name!r}]" in str(caught.value)


def test_a_world_works_as_ever_though_each_of_its_members_has_a_record_of_that_name(world_of):
    records = ", ".join(f"{name}: {{ n: int }}" for name in MEMBERS)
    world = world_of(f"""
        services:
          a:
            records: {{ {records} }}
            seed: {{ count: 2 }}
            operations: {{ update_clock: {{ kind: update, record: clock }} }}
    """)
    told: list[object] = []
    world.on_effect.append(told.append)
    before = world.snapshot()
    assert world.call("update_clock", {"id": "1", "n": 5000})["n"] == 5000
    assert (world.revision, len(world.ledger), len(told)) == (1, 1, 1)
    assert world.diff(before)
    world.later(5, lambda: world["clock"].update("2", n=7))
    world.settle()
    assert (world.revision, world.clock.elapsed(), bool(world.settling)) == (2, 5.0, False)
    assert len(world.tables) == len(MEMBERS)
