from __future__ import annotations

import asyncio
from datetime import timedelta

import pytest

from squall.clock import START, VirtualClock
from squall.errors import UsageError
from squall.worlds import UnknownOperation, World
from squall.worlds.tables.diffs import Diff

REPEATED = """
services:
  a: { records: { item: { n: int }, box: { n: int } }, seed: { count: 1 } }
  b: { records: { item: { n: int }, boxes: { n: int } }, seed: { count: 2 } }
"""

API = """
services:
  a:
    records:
      ledger: { n: int }
      snapshot: { n: int }
      name: { n: int }
      seed: { n: int }
      operation: { n: int }
      volatile: { n: int }
    seed: { count: 2 }
"""


def test_a_table_is_reached_by_name_plural_and_in_full(shop):
    assert shop.order is shop.orders is shop["orders.order"] is shop["order"] is shop["orders"]
    assert shop.returns is shop["orders.return"]
    assert list(shop.tables) == ["people.customer", "orders.order", "orders.return"]


def test_a_name_that_two_records_have_is_an_error_that_names_both(world_of):
    world = world_of(REPEATED)
    text = r"'item' may mean a.item or b.item: write world\['a.item'\] or world\['b.item'\]"
    with pytest.raises(AttributeError, match=text):
        _ = world.item
    with pytest.raises(UsageError, match=text):
        world["item"]
    assert (len(world["a.item"]), len(world["b.item"])) == (1, 2)


def test_a_record_of_that_very_name_beats_a_plural(world_of):
    world = world_of(REPEATED)
    assert world.boxes is world["b.boxes"]
    assert world.box is world["a.box"]


def test_a_table_that_is_not_there_names_the_nearest(shop):
    text = "the world 'shop' has no table 'ordrs'; did you mean 'orders'?"
    with pytest.raises(AttributeError) as caught:
        _ = shop.ordrs
    assert str(caught.value).startswith(text)
    with pytest.raises(UsageError) as refused:
        shop["ordrs"]
    assert str(refused.value).startswith(text)
    with pytest.raises(AttributeError):
        _ = shop._private


def test_records_named_like_the_api_load_and_are_reached_by_key(world_of):
    world = world_of(API)
    for name in ("ledger", "snapshot", "name", "seed", "operation", "volatile"):
        assert len(world[name]) == 2
    assert world.ledger == []
    assert set(world.snapshot()) == {
        f"a.{name}" for name in ("ledger", "snapshot", "name", "seed", "operation", "volatile")
    }
    assert (world.name, world.seed, world.volatile) == ("world.yaml", 0, ())


@pytest.mark.parametrize("name", ["snapshot", "name", "seed", "ledger", "operations", "volatile"])
def test_an_attribute_that_hides_a_table_says_where_it_is(world_of, name):
    world = world_of(API)
    with pytest.raises(AttributeError, match=r"the table of .* is world\["):
        getattr(world, name).where(n=1)


def test_a_hidden_methods_help_says_where_the_table_is(world_of):
    assert "world['snapshot']" in world_of(API).snapshot.__doc__


def test_tables_are_offered_by_dir(shop):
    assert {"orders", "order", "returns", "snapshot", "call"} <= set(dir(shop))


def test_a_world_tells_about_itself(shop, shop_text, make, world_of):
    assert repr(shop) == "<world shop: people.customer, orders.order, orders.return; seed 7, revision 0>"
    assert (shop.name, shop.seed, shop.revision) == ("shop", 7, 0)
    assert shop.spec.faults == {"orders.get_order": {"errors": {"timeout": 0.5}}}
    assert shop.volatile == ("request_id",)
    assert shop.document.data["name"] == "shop"
    assert len(shop.digest) == 64
    assert World.load(make(shop_text.replace("name: shop\n", ""))).name == "world"
    assert world_of(shop_text).digest == World.load(make(shop_text)).digest


def test_the_clock_is_virtual_unless_given(shop, world_of, shop_text):
    assert isinstance(shop.clock, VirtualClock)
    assert shop.clock.now() == START
    clock = VirtualClock()
    assert world_of(shop_text, clock=clock).clock is clock


def test_a_snapshot_is_plain_json_and_stays(shop):
    before = shop.snapshot()
    assert list(before) == ["people.customer", "orders.order", "orders.return"]
    assert before["orders.order"]["7"]["total"] == 10.0
    assert isinstance(before["orders.order"]["7"]["placed_at"], str)
    shop.orders.update("7", n=9)
    assert before["orders.order"]["7"]["n"] == 2
    assert isinstance(shop.diff(before), Diff)


def test_effects_are_told_after_the_commit(shop):
    told = []
    shop.on_effect.append(lambda effect: told.append((effect.rev, shop.revision, shop.orders["7"].n)))
    shop.orders.update("7", n=9)
    assert told == [(1, 1, 9)]


def test_an_unknown_tool_names_the_nearest(shop):
    with pytest.raises(UnknownOperation, match="the world 'shop' has no tool 'get_ordr'; did you mean 'get_order'"):
        shop.call("get_ordr", {})
    with pytest.raises(UnknownOperation, match="has no tool 'x'; there are get_customer, get_order"):
        shop.as_of(1, "x", {})


def test_the_age_of_a_call_is_that_of_the_row_it_is_about(shop):
    shop.orders.update("7", placed_at=START - timedelta(hours=1))
    assert shop.age_of("get_order", {"id": "7"}) == 3600
    shop.clock.advance(60)
    assert shop.age_of("delete_order", {"id": "7"}) == 3660


@pytest.mark.parametrize(
    ("tool", "args"),
    [
        ("get_order", {"id": "99"}),
        ("get_order", {}),
        ("get_order", {"id": None}),
        ("get_order", {"id": ["7"]}),
        ("list_orders", {"status": "placed"}),
        ("get_customer", {"id": "ada"}),
        ("nothing", {"id": "7"}),
        ("create_order", {"id": "7"}),
    ],
)
def test_a_call_that_is_about_no_dated_row_has_no_age(shop, tool, args):
    assert shop.age_of(tool, args) is None


def test_a_row_without_its_date_has_no_age(shop):
    id = shop.orders.insert().id
    assert shop.age_of("get_order", {"id": id}) is None


def test_a_handler_is_about_the_row_that_its_argument_names(handled):
    world = handled("""
        def issue_refund(world, clock, order_id: str, amount: float = 0):
            pass

        def other(world, clock, refund_id: str):
            pass

        def ship(world, clock, order: str):
            pass
    """)
    world.orders.update("1", placed_at=START - timedelta(hours=2))
    assert world.age_of("issue_refund", {"order_id": "1"}) == 7200
    assert world.age_of("ship", {"order": "1"}) == 7200
    assert world.operations["issue_refund"].target.dated
    assert not world.operations["other"].target.dated


def test_as_of_answers_as_if_the_latest_writes_had_not_been(shop):
    shop.call("update_order", {"id": "7", "n": 3})
    shop.call("update_order", {"id": "7", "n": 4})
    assert shop.as_of(1, "get_order", {"id": "7"})["n"] == 3
    assert shop.as_of(2, "get_order", {"id": "7"})["n"] == 2
    assert shop.as_of(0, "get_order", {"id": "7"})["n"] == 4
    new = shop.call("create_order", {"customer_id": "ada", "total": 1})["id"]
    assert new not in [row["id"] for row in shop.as_of(1, "list_orders", {})]
    assert shop.revision == 3
    assert shop.as_of(9, "create_order", {"customer_id": "ada", "total": 1})["id"] not in ("", new)
    assert shop.revision == 3


def test_as_of_holds_for_async_handlers_too(handled):
    world = handled("""
        import asyncio

        async def total(world, clock):
            await asyncio.sleep(0)
            return world.orders["1"].total
    """)
    before = world.orders["1"].total
    world.orders.update("1", total=-1)

    async def both():
        return await world.as_of(1, "total", {}), await world.call("total", {})

    assert asyncio.run(both()) == (before, -1)


def test_later_lands_when_the_clock_gets_there(shop):
    shop.later(5, lambda: shop.orders.update("7", n=9))
    shop.clock.advance(4)
    assert shop.revision == 0
    shop.clock.advance(2)
    assert shop.orders["7"].n == 9
    shop.settle()
    assert shop.revision == 1


def test_settle_lands_everything_in_order_of_time(shop):
    landed: list[str] = []
    shop.later(5, lambda: landed.append("b"))
    shop.later(5, lambda: landed.append("c"))

    def first():
        shop.later(0.5, lambda: landed.append("nested"))
        landed.append("a")

    shop.later(1, first)
    shop.settle()
    assert landed == ["a", "nested", "b", "c"]
    assert shop.clock.elapsed() == 5
    shop.clock.advance(60)
    assert landed == ["a", "nested", "b", "c"]
