from __future__ import annotations

import asyncio
import math
import threading
from datetime import UTC, datetime, timedelta
from functools import partial

import pytest

from squall.clock import START, WallClock, real
from squall.errors import LimitReached, UsageError


@pytest.fixture
def wall(monkeypatch):
    """A wall whose time moves by sleeping alone, and at once."""

    class Wall:
        now = 1000.0
        slept: list[float] = []

        def sleep(self, seconds):
            self.slept.append(seconds)
            self.now += seconds

    wall = Wall()
    wall.slept = []

    async def asleep(seconds):
        wall.sleep(seconds)

    monkeypatch.setattr(real, "monotonic", lambda: wall.now)
    monkeypatch.setattr(real, "sleep", wall.sleep)
    monkeypatch.setattr(real, "asleep", asleep)
    return wall


def test_it_begins_where_a_virtual_clock_does_and_goes_with_the_wall(wall):
    clock = WallClock()
    assert clock.now() == START
    wall.now += 90.5
    assert clock.elapsed() == 90.5
    assert clock.now() == START + timedelta(seconds=90.5)
    assert clock.time() == 1748736090.5
    assert clock.mode == "wall"


def test_another_start_is_taken_as_utc(wall):
    assert WallClock(datetime(2025, 1, 1)).now() == datetime(2025, 1, 1, tzinfo=UTC)


def test_advance_and_set_move_it_ahead_and_never_back(wall):
    clock = WallClock()
    clock.advance(60)
    clock.set(START + timedelta(hours=1))
    assert clock.elapsed() == 3600.0
    with pytest.raises(UsageError, match="would turn time back"):
        clock.advance(-1)
    with pytest.raises(UsageError, match="is in the past"):
        clock.set(START)
    assert not wall.slept


def test_a_wait_really_waits_and_a_capped_one_is_bounded(wall):
    clock = WallClock(wall_cap=0.5)
    clock.sleep(7)
    clock.sleep(7, capped=True)
    asyncio.run(clock.asleep(3))
    asyncio.run(clock.asleep(3, capped=True))
    assert wall.slept == [7, 0.5, 3, 0.5]


def test_a_wait_that_would_pass_the_limit_ends_there(wall):
    clock = WallClock(limit=10)
    clock.sleep(7)
    with pytest.raises(LimitReached, match="lasted 10 real seconds, which is its limit"):
        clock.sleep(7)
    with pytest.raises(LimitReached):
        asyncio.run(clock.asleep(7))
    assert wall.slept == [7, 3, 0]


def test_a_wait_without_end_needs_a_limit(wall):
    with pytest.raises(LimitReached, match="can never go on: it waits without end, and its clock has no limit"):
        WallClock(limit=None).sleep(math.inf)
    with pytest.raises(LimitReached):
        WallClock(limit=5).sleep(math.inf)
    assert wall.slept == [5]


def test_moving_it_oneself_does_not_count_against_the_limit(wall):
    clock = WallClock(limit=10)
    clock.advance(1000)
    clock.sleep(10)
    assert clock.elapsed() == 1010.0


def test_timers_on_the_way_fire_in_order_before_advance_returns(wall):
    clock = WallClock()
    fired: list[object] = []
    with clock.in_charge():
        for when in (7, 3, 11):
            clock.call_at(when, partial(lambda when: fired.append((when, threading.current_thread())), when))
        clock.call_at(5, lambda: fired.append("cancelled")).cancel()
        clock.advance(10)
        assert fired == [(3, threading.current_thread()), (7, threading.current_thread())]
        assert [timer.when for timer in clock.pending()] == [11.0]


def test_a_timer_that_raises_does_not_lose_the_others(wall):
    clock, fired = WallClock(), []
    with clock.in_charge():
        clock.call_at(1, lambda: 1 / 0)
        clock.call_at(2, lambda: fired.append(2))
        with pytest.raises(ZeroDivisionError):
            clock.advance(5)
    assert fired == [2]


def test_timers_fire_by_themselves_when_their_time_comes():
    clock, order, done = WallClock(), [], threading.Event()
    with clock.in_charge():
        clock.call_at(0.002, lambda: order.append(clock.elapsed()))
        clock.call_at(0.004, done.set)
        assert done.wait(20)
    assert order[0] >= 0.002


def test_a_timer_that_raises_on_its_own_is_shown_and_the_next_one_fires(monkeypatch):
    shown, done = [], threading.Event()
    monkeypatch.setattr(threading, "excepthook", lambda args: shown.append(args.exc_type))
    clock = WallClock()
    with clock.in_charge():
        clock.call_at(0.001, lambda: 1 / 0)
        clock.call_at(0.003, done.set)
        assert done.wait(20)
    assert shown == [ZeroDivisionError]


def test_a_timer_that_an_advance_brings_near_fires_in_time():
    clock, done = WallClock(), threading.Event()
    with clock.in_charge():
        clock.call_at(1000, done.set)
        clock.advance(999.999)
        assert done.wait(20)


def test_a_timer_that_has_not_come_when_the_context_ends_stays_pending():
    clock, fired = WallClock(), []
    with clock.in_charge():
        timer = clock.call_at(1000, lambda: fired.append(1))
    assert clock.pending() == (timer,)
    assert not any(thread.name == "squall-clock" for thread in threading.enumerate())
    clock.advance(1001)
    assert fired == [1]
