from __future__ import annotations

import asyncio
from functools import partial

from squall.clock import VirtualClock
from squall.worlds.late import Late


def test_a_coroutine_lands_in_the_running_loop():
    late = Late(VirtualClock())
    landed = []

    async def land():
        await asyncio.sleep(0)
        landed.append(asyncio.get_running_loop())

    async def main():
        late.add(1, land)
        late.settle()
        assert landed == []
        for _ in range(3):
            await asyncio.sleep(0)
        assert landed == [asyncio.get_running_loop()]

    asyncio.run(main())


def test_a_coroutine_lands_at_once_where_no_loop_runs():
    late = Late(VirtualClock())
    landed = []

    async def land():
        await asyncio.sleep(0)
        landed.append(1)

    late.add(1, land)
    late.settle()
    assert landed == [1]


def test_those_due_first_land_first_whatever_the_order_they_came_in():
    clock = VirtualClock()
    late = Late(clock)
    landed: list[float] = []
    for seconds in (3, 1, 2, 1):
        late.add(seconds, partial(landed.append, seconds))
    clock.advance(2.5)
    assert landed == [1, 1, 2]
    late.settle()
    assert landed == [1, 1, 2, 3]
