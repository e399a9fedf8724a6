"""Lists that lag behind, as a search index does: exact by the clock, while everything else is fresh."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squall.call import Refused
from squall.documents import parse
from squall.errors import UsageError
from squall.worlds import World

TEXT = """
services:
  shop:
    records:
      item: { id: str, name: str, stock: int }
      review: { item: "ref[shop.item]", stars: int }
    seed: { item: [{ id: a, name: A, stock: 1 }, { id: b, name: B, stock: 2 }, { id: c, name: C, stock: 3 }] }
    operations:
      search: { kind: list, record: item, filter: [stock.gte], lag: 2s, include: [reviews], sort: [name] }
      paged: { kind: list, record: item, lag: 2s, page_size: 2 }
      fresh: { kind: list, record: item }
      get_item: { kind: get, record: item }
      add_item: { kind: create, record: item }
"""


@pytest.fixture
def shop(world_of):
    return world_of(TEXT)


def ids(rows):
    return "".join(row["id"] for row in rows)


def test_a_write_is_seen_after_the_lag_and_not_a_moment_before(shop):
    shop.clock.advance(10)
    shop.call("add_item", {"id": "d", "name": "D", "stock": 4})
    assert (ids(shop.call("search", {})), ids(shop.call("fresh", {}))) == ("abc", "abcd")
    assert shop.call("get_item", {"id": "d"})["name"] == "D"
    shop.clock.advance(1.999999)
    assert ids(shop.call("search", {})) == "abc"
    shop.clock.advance(0.000001)
    assert ids(shop.call("search", {})) == "abcd"


def test_updates_and_deletes_lag_too_and_rows_keep_their_places(shop):
    shop.items.update("a", stock=9)
    shop.items.delete("b")
    shop.items.insert(id="b", name="B2", stock=7)
    assert [(row["id"], row["stock"]) for row in shop.call("search", {})] == [("a", 1), ("b", 2), ("c", 3)]
    assert ids(shop.call("search", {"stock_gte": 2})) == "bc"
    shop.clock.advance(2)
    assert [(row["id"], row["stock"]) for row in shop.call("search", {})] == [("a", 9), ("c", 3), ("b", 7)]


def test_children_lag_with_their_rows(shop):
    shop.reviews.insert(item="a", stars=5)
    assert shop.call("search", {})[0]["reviews"] == []
    shop.clock.advance(2)
    assert len(shop.call("search", {})[0]["reviews"]) == 1


def test_the_end_state_and_other_reads_are_fresh(shop):
    shop.items.delete("b")
    shop.call("search", {})
    assert ids(shop.snapshot()["shop.item"].values()) == "ac"
    assert len(shop.items) == 2
    with pytest.raises(Refused, match="not found"):
        shop.call("get_item", {"id": "b"})


def test_pages_lag_as_well(shop):
    page = shop.call("paged", {})
    shop.items.delete("b")
    shop.items.delete("c")
    assert ids(shop.call("paged", {"cursor": page["next_cursor"]})["items"]) == "c"
    shop.clock.advance(2)
    assert ids(shop.call("paged", {"cursor": page["next_cursor"]})["items"]) == ""


def test_a_handler_does_not_find_what_it_has_just_written(make):
    path = make(
        TEXT + "      act: { kind: custom, handler: rules.act }\n",
        rules="""
        def act(world, clock):
            world.items.insert(id="d", name="D", stock=4)
            world.items.update("a", stock=9)
            found = world.call("search", {})
            assert len(world.items) == 4
            return found
        """,
    )
    found = World.load(path).call("act", {})
    assert [(row["id"], row["stock"]) for row in found] == [("a", 1), ("b", 2), ("c", 3)]


def test_a_stale_read_of_a_lagging_list_sees_the_older_of_both(shop):
    for number in range(3):
        shop.items.update("a", stock=10 + number)
        shop.clock.advance(1)
    assert shop.call("search", {})[0]["stock"] == 11
    assert shop.as_of(1, "search", {})[0]["stock"] == 11
    assert shop.as_of(3, "search", {})[0]["stock"] == 1


@pytest.mark.parametrize(
    ("lag", "message"),
    [
        ("soon", "world.yaml:6:64: 'soon' is no length of time"),
        ("-2s", "world.yaml:6:64: a length of time cannot be below zero, and '-2s' is"),
        ("[2]", "world.yaml:6:64: [2] is no length of time"),
    ],
)
def test_a_lag_that_is_no_time_is_named(lag, message, world_of):
    with pytest.raises(UsageError) as caught:
        world_of(f"""
            services:
              a:
                records: {{ x: {{ n: int }} }}
                operations:
                  f: {{ kind: list, record: x, filter: [n], sort: [n], lag: {lag} }}
            """)
    assert str(caught.value).startswith(message)


def test_only_lists_lag(world_of):
    with pytest.raises(UsageError, match="kind get has no 'lag'"):
        world_of(TEXT.replace("kind: get,", "kind: get, lag: 2s,"))


SMALL = parse(
    """
    services:
      a:
        records: { x: { n: int } }
        seed: { x: [{ n: 0 }, { n: 0 }] }
        operations: { find: { kind: list, record: x, lag: 2s } }
    """,
    format="yaml",
    name="w.yaml",
)
STEP = st.tuples(
    st.sampled_from(["insert", "update", "delete"]),
    st.sampled_from("1234"),
    st.integers(1, 9),
    st.sampled_from([0, 0.1, 0.5, 1, 1.9, 2]),
)


@settings(deadline=None)
@given(st.lists(STEP, max_size=12))
def test_what_a_lagging_list_shows_is_the_ledger_replayed_up_to_then(steps):
    world = World.parse(SMALL)
    seeded = list(copy.deepcopy(world.snapshot()["a.x"]).values())
    for op, id, n, pause in steps:
        if op == "insert" and id not in world.x:
            world.x.insert(id=id, n=n)
        elif op == "update" and id in world.x:
            world.x.update(id, n=n)
        elif op == "delete" and id in world.x:
            world.x.delete(id)
        world.clock.advance(pause)
        assert world.call("find", {}) == replayed(seeded, world, world.clock.elapsed() - 2)


def replayed(seeded, world, until):
    rows = list(seeded)
    for effect in world.ledger:
        if round(effect.t * 1e6) > round(until * 1e6):
            break
        if effect.op == "insert":
            rows.append(effect.after)
        else:
            place = next(place for place, row in enumerate(rows) if row["id"] == effect.id)
            rows[place : place + 1] = [effect.after] if effect.op == "update" else []
    return rows
