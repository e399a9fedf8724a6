"""What others hang on a clock: guests in its event loops, timers that fire in a loop, waits that nobody stated."""

from __future__ import annotations

import asyncio
import threading

import pytest

from squall.clock import VirtualClock, WallClock


def test_a_guest_is_called_with_every_loop_of_the_clock():
    clock = VirtualClock()
    met: list[asyncio.AbstractEventLoop] = []
    with clock.in_charge():
        clock.welcome(met.append)
        loops = [asyncio.run(running()) for _ in range(2)]
    asyncio.run(running())
    assert met == loops


async def running():
    return asyncio.get_running_loop()


def test_a_guest_that_comes_later_is_called_with_the_loops_that_are():
    clock = VirtualClock()
    met: list[asyncio.AbstractEventLoop] = []

    async def main():
        clock.welcome(met.append)
        return asyncio.get_running_loop()

    with clock.in_charge():
        loop = asyncio.run(main())
    assert met == [loop]


def test_what_a_guest_puts_into_a_loop_runs_before_anything_is_waited_for():
    clock = VirtualClock()
    done: list[str] = []

    def guest(loop):
        loop.call_soon(done.append, "guest")

    with clock.in_charge():
        clock.welcome(guest)
        asyncio.run(asyncio.sleep(5))
    assert done == ["guest"]
    assert clock.elapsed() == 5


def test_timers_of_a_wall_clock_can_fire_in_a_loop():
    clock = WallClock()
    threads: list[object] = []

    async def main():
        fired = asyncio.Event()
        clock.fire_in(asyncio.get_running_loop())

        def fire():
            threads.append(threading.get_ident())
            fired.set()

        clock.call_at(0, fire)
        await asyncio.wait_for(fired.wait(), 10)

    with clock.in_charge():
        asyncio.run(main())
        clock.call_at(0, lambda: threads.append("after the loop"))
        clock.advance(1)
    assert threads[0] == threading.get_ident()
    assert threads[1:] == ["after the loop"]


def test_what_a_timer_raises_in_a_loop_is_told_and_the_timers_go_on(monkeypatch):
    told, clock = [], WallClock()

    async def main():
        loop, heard, fired = asyncio.get_running_loop(), asyncio.Event(), asyncio.Event()

        def hear(args):
            told.append(args.exc_type)
            loop.call_soon_threadsafe(heard.set)

        monkeypatch.setattr(threading, "excepthook", hear)
        clock.fire_in(loop)
        clock.call_at(0, lambda: 1 / 0)
        await asyncio.wait_for(heard.wait(), 10)
        clock.call_at(0, fired.set)
        await asyncio.wait_for(fired.wait(), 10)

    with clock.in_charge():
        asyncio.run(main())
    assert told == [ZeroDivisionError]


@pytest.mark.parametrize("clock", [WallClock(wall_cap=2.0), VirtualClock(wall_cap=2.0)], ids=lambda clock: clock.mode)
def test_a_wait_that_nobody_stated_is_cut_where_it_is_real(clock):
    with clock.in_charge():
        real = clock.mode == "wall"
        assert asyncio.run(bounded(clock)) == (2.0 if real else 60.0)
        elsewhere = []
        thread = threading.Thread(target=lambda: elsewhere.append(clock.bounded(60.0)))
        thread.start()
        thread.join()
        assert elsewhere == [2.0]
    assert clock.bounded(1.0) == 1.0


async def bounded(clock):
    return clock.bounded(60.0)
