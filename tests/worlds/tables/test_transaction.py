from __future__ import annotations

import asyncio
import threading

import pytest

from squall.call import CallRef, Refused
from squall.worlds import InvalidRow
from squall.worlds.tables.transaction import Past, Transaction


def begin(world, **options):
    return Transaction(world.journal, options.pop("call", None), **options)


def fail(world):
    """A transaction that writes in every way and raises."""
    with pytest.raises(RuntimeError), begin(world):
        world.orders.insert(id="x", customer_id="ada")
        world.orders.insert(customer_id="ada")
        world.orders.update("7", status="returned")
        world.orders.delete("1")
        raise RuntimeError


def test_what_raises_leaves_nothing_behind(shop):
    before, table = shop.snapshot(), shop.orders.all()
    fail(shop)
    assert shop.snapshot() == before
    assert shop.orders.all() == table
    assert (shop.revision, shop.ledger) == (0, [])
    assert shop.orders.insert().id == "6"


def test_what_ends_well_lands_together_an_effect_for_each_write(shop):
    seen = []
    shop.on_effect.append(lambda effect: seen.append((effect.rev, shop.revision)))
    with begin(shop, call=CallRef(3, "t", {})):
        shop.orders.update("7", status="delivered")
        shop.orders.update("7", status="returned")
        assert (seen, shop.revision) == ([], 0)
    assert seen == [(1, 2), (2, 2)]
    assert [effect.changes for effect in shop.ledger] == [
        {"status": ("placed", "delivered")},
        {"status": ("delivered", "returned")},
    ]
    assert {effect.call.id for effect in shop.ledger} == {3}


def test_a_transaction_sees_its_own_writes_and_others_do_not(shop):
    seen = []
    with begin(shop):
        new = shop.orders.insert(customer_id="ada", status="placed").id
        shop.orders.delete("1")
        shop.orders.update("7", note="mine")
        thread = threading.Thread(target=lambda: seen.append([shop.orders.get(id) for id in (new, "1", "7")]))
        thread.start()
        thread.join()
        assert next(iter(shop.orders)).id == "7"
        assert shop.orders.all()[-1].id == new
        assert shop.orders.count() == 6
        assert shop.orders.get("1") is None
        assert shop.orders.pick(note="mine").id == "7"
        assert new in [row.id for row in shop.orders.where(status="placed")]
    assert seen[0][0] is None
    assert seen[0][1].id == "1"
    assert seen[0][2].note != "mine"


def test_an_inner_transaction_that_fails_leaves_the_outer_one_as_it_was(shop):
    with begin(shop):
        shop.orders.update("7", n=1)
        with pytest.raises(RuntimeError), begin(shop):
            shop.orders.update("7", n=2)
            raise RuntimeError
        assert shop.orders["7"].n == 1
    assert shop.orders["7"].n == 1
    assert shop.revision == 1


def test_a_dry_run_drops_everything_ids_too(shop):
    before = shop.snapshot()
    with begin(shop, keep=False):
        assert shop.orders.insert().id == "6"
        assert shop.orders.insert().id == "8"
    assert shop.snapshot() == before
    assert [shop.orders.insert().id for _ in range(2)] == ["6", "8"]


def test_interleaved_handlers_neither_see_nor_undo_one_another(handled):
    """A takes 50 and fails after B has taken 70 and ended well: B's change stays."""
    world = handled("""
        async def take(world, clock, amount: int, fail: bool = False):
            row = world.orders["1"]
            world.orders.update("1", total=row.total - amount)
            clock.turn()
            await clock.turned()
            if fail:
                raise ValueError("no funds")
            return world.orders["1"].total
    """)
    world.orders.update("1", total=100)

    async def both():
        gate = asyncio.Event()
        world.clock.turn = lambda: None
        world.clock.turned = gate.wait
        slow = asyncio.ensure_future(world.call("take", {"amount": 50, "fail": True}))
        await asyncio.sleep(0)
        assert world.orders["1"].total == 100
        gate.set()
        fast = await world.call("take", {"amount": 70})
        with pytest.raises(Refused, match="no funds"):
            await slow
        return fast

    assert asyncio.run(both()) == 30
    assert world.orders["1"].total == 30
    assert world.revision == 2


def test_of_two_that_write_one_row_both_changes_land_field_by_field(shop):
    async def write(started, others, **fields):
        with begin(shop):
            shop.orders.update("7", fields)
            started.set()
            await others.wait()

    async def both():
        first, second = asyncio.Event(), asyncio.Event()
        await asyncio.gather(write(first, second, n=9), write(second, first, note="hi"))

    asyncio.run(both())
    assert (shop.orders["7"].n, shop.orders["7"].note) == (9, "hi")


@pytest.mark.parametrize(
    ("mine", "theirs", "message"),
    [
        (lambda t: t.insert(id="z"), lambda t: t.insert(id="z"), "order 'z' was created by another request"),
        (lambda t: t.update("7", n=1), lambda t: t.delete("7"), "order '7' was deleted by another request"),
        (lambda t: t.delete("7"), lambda t: t.delete("7"), "order '7' was deleted by another request"),
    ],
)
def test_writes_that_no_longer_fit_are_refused_as_a_whole(shop, mine, theirs, message):
    def interfere():
        theirs(shop.orders)

    with pytest.raises(InvalidRow, match=message), begin(shop):
        shop.orders.update("2", note="goes with it")
        mine(shop.orders)
        thread = threading.Thread(target=interfere)
        thread.start()
        thread.join()
    assert shop.orders["2"].note != "goes with it"
    assert shop.revision == 1


def test_ids_drawn_by_interleaved_transactions_differ(shop):
    async def insert(started, others):
        with begin(shop):
            id = shop.orders.insert().id
            started.set()
            await others.wait()
            return id

    async def both():
        first, second = asyncio.Event(), asyncio.Event()
        return await asyncio.gather(insert(first, second), insert(second, first))

    assert sorted(asyncio.run(both())) == ["6", "8"]


def test_an_id_that_was_dropped_is_not_given_again_once_later_ones_are_out(shop):
    with begin(shop, keep=False):
        assert shop.orders.insert().id == "6"
        thread = threading.Thread(target=shop.orders.insert)
        thread.start()
        thread.join()
    assert [row.id for row in shop.orders][-1] == "8"
    assert shop.orders.insert().id == "9"


def test_a_task_that_outlives_its_handler_writes_for_itself(shop):
    async def main():
        gate = asyncio.Event()

        async def straggler():
            await gate.wait()
            shop.orders.update("7", note="late")

        with begin(shop):
            task = asyncio.ensure_future(straggler())
            await asyncio.sleep(0)
        gate.set()
        await task

    asyncio.run(main())
    assert shop.orders["7"].note == "late"
    assert shop.revision == 1


def test_a_transaction_of_one_world_does_not_hold_back_another(shop, world_of, shop_text):
    other = world_of(shop_text)
    with pytest.raises(RuntimeError), begin(shop):
        with begin(other):
            other.orders.update("7", n=1)
            shop.orders.update("7", n=1)
        raise RuntimeError
    assert (other.revision, shop.revision) == (1, 0)


def test_the_past_is_what_the_latest_writes_did_not_touch(shop):
    before = shop.orders.all()
    shop.orders.update("7", n=3)
    shop.orders.update("7", n=4)
    shop.orders.delete("1")
    shop.orders.insert(id="new")
    with Past(shop.journal, 2):
        assert [row.id for row in shop.orders if row.id == "new"] == []
        assert shop.orders["7"].n == 4
        assert "1" in shop.orders
    with Past(shop.journal, 100):
        assert sorted(shop.orders.all(), key=lambda row: row.id) == sorted(before, key=lambda row: row.id)
    assert shop.orders.get("1") is None
