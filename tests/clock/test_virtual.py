from __future__ import annotations

import asyncio
import contextlib
import math
import subprocess
import sys
import threading
from datetime import UTC, datetime, timedelta, timezone
from functools import partial

import pytest

from squall.clock import START, VirtualClock
from squall.errors import LimitReached, UsageError


def test_a_run_begins_on_the_first_of_june_2025():
    clock = VirtualClock()
    assert clock.now() == START == datetime(2025, 6, 1, tzinfo=UTC)
    assert clock.time() == 1748736000.0
    assert clock.elapsed() == 0.0
    assert clock.mode == "virtual"


def test_a_naive_start_is_utc_and_any_other_becomes_it():
    assert VirtualClock(datetime(2025, 1, 1)).now() == datetime(2025, 1, 1, tzinfo=UTC)
    east = VirtualClock(datetime(2025, 1, 1, 2, tzinfo=timezone(timedelta(hours=2))))
    assert east.now().isoformat() == "2025-01-01T00:00:00+00:00"


def test_advance_and_set_move_every_reading():
    clock = VirtualClock()
    clock.advance(90)
    clock.advance(timedelta(minutes=1))
    assert clock.elapsed() == 150.0
    clock.set(datetime(2025, 6, 2))
    assert clock.elapsed() == 86400.0
    assert clock.now() == datetime(2025, 6, 2, tzinfo=UTC)
    assert clock.time() == 1748736000.0 + 86400


def test_time_never_goes_back():
    clock = VirtualClock()
    with pytest.raises(UsageError, match="advance\\(-5\\) would turn time back"):
        clock.advance(-5)
    with pytest.raises(UsageError, match="is in the past"):
        clock.set(datetime(2025, 5, 31))
    assert clock.elapsed() == 0.0


def test_sleep_jumps(waits):
    clock = VirtualClock()
    clock.sleep(60)
    assert clock.elapsed() == 60.0
    assert not waits


def test_a_clock_alone_moves_in_a_coroutine_too(waits):
    clock = VirtualClock()
    asyncio.run(clock.asleep(60))
    assert clock.elapsed() == 60.0
    assert not [wait for wait in waits if wait]


def test_another_thread_really_sleeps_and_a_capped_wait_is_bounded(clock, waits):
    clock.wall_cap = 0.5

    def serve():
        clock.sleep(7)
        clock.sleep(7, capped=True)
        clock.sleep(0.1, capped=True)

    thread = threading.Thread(target=serve)
    thread.start()
    thread.join()
    assert waits == [7, 0.5, 0.1]
    assert clock.elapsed() == 0.0


def test_a_loop_on_another_thread_really_waits(clock, monkeypatch):
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    def serve():
        asyncio.run(serving())

    async def serving():
        monkeypatch.setattr("squall.clock.real.asleep", sleep)
        await clock.asleep(7)
        await clock.asleep(7, capped=True)

    thread = threading.Thread(target=serve)
    thread.start()
    thread.join()
    assert slept == [7, 2.0]
    assert clock.elapsed() == 0.0


# timers


@pytest.mark.parametrize(
    "move",
    [
        lambda clock: clock.advance(10),
        lambda clock: clock.sleep(10),
        lambda clock: clock.set(START + timedelta(seconds=10)),
    ],
    ids=["advance", "sleep", "set"],
)
def test_timers_fire_on_the_way_at_their_own_time(move):
    clock, fired = VirtualClock(), []
    for when in (7, 3, 7, 11):
        clock.call_at(when, partial(lambda when: fired.append((when, clock.elapsed())), when))
    move(clock)
    assert fired == [(3, 3.0), (7, 7.0), (7, 7.0)]
    assert clock.elapsed() == 10.0
    assert [timer.when for timer in clock.pending()] == [11.0]


def test_a_timer_at_the_very_moment_of_arrival_fires():
    clock, fired = VirtualClock(), []
    clock.call_at(10, lambda: fired.append(clock.elapsed()))
    clock.advance(10)
    assert fired == [10.0]


def test_a_cancelled_timer_does_not_fire():
    clock, fired = VirtualClock(), []
    clock.call_at(1, lambda: fired.append(1)).cancel()
    clock.advance(2)
    assert not fired


def test_a_timer_in_the_past_fires_at_the_next_move():
    clock, fired = VirtualClock(), []
    clock.advance(5)
    clock.call_at(1, lambda: fired.append(clock.elapsed()))
    clock.advance(0)
    assert fired == [5.0]


def test_a_timer_may_set_another_on_the_way():
    clock, fired = VirtualClock(), []
    clock.call_at(1, lambda: clock.call_at(2, lambda: fired.append(clock.elapsed())))
    clock.advance(5)
    assert fired == [2.0]


def test_a_timer_may_move_the_clock_further_than_its_mover_wanted():
    clock = VirtualClock()
    clock.call_at(1, lambda: clock.advance(100))
    clock.advance(5)
    assert clock.elapsed() == 101.0


def test_a_timer_that_raises_does_not_lose_the_others():
    clock, fired = VirtualClock(), []

    def fail():
        raise KeyError("lost row")

    clock.call_at(1, fail)
    clock.call_at(2, lambda: fired.append(clock.elapsed()))
    with pytest.raises(KeyError, match="lost row"):
        clock.advance(5)
    assert fired == [2.0]
    assert clock.elapsed() == 5.0


# the limit


def test_a_wait_that_would_pass_the_limit_stops_there_and_says_so():
    clock, fired = VirtualClock(limit=100), []
    clock.call_at(99, lambda: fired.append(clock.elapsed()))
    clock.sleep(60)
    with pytest.raises(LimitReached, match="the run has waited 100 virtual seconds, which is its limit"):
        clock.sleep(60)
    assert clock.elapsed() == 100.0
    assert fired == [99.0]


def test_a_wait_to_the_limit_is_no_wait_past_it():
    clock = VirtualClock(limit=100)
    clock.sleep(100)
    with pytest.raises(LimitReached):
        clock.sleep(0.001)


def test_after_the_limit_a_clean_up_may_wait_a_little_and_not_for_ever():
    clock = VirtualClock(limit=100)
    with pytest.raises(LimitReached):
        clock.sleep(1000)
    clock.sleep(50)
    with pytest.raises(LimitReached):
        clock.sleep(50)
    assert clock.elapsed() == 160.0


def test_moving_the_clock_oneself_does_not_count_against_the_limit():
    clock = VirtualClock(limit=100)
    clock.sleep(50)
    clock.advance(10_000)
    clock.set(clock.now() + timedelta(days=1))
    clock.sleep(50)
    with pytest.raises(LimitReached):
        clock.sleep(1)


def test_the_limit_can_be_set_later_and_be_none():
    clock = VirtualClock()
    assert clock.limit == 3600.0
    clock.limit = 10
    with pytest.raises(LimitReached, match="waited 10 virtual"):
        clock.sleep(11)
    clock.limit = None
    clock.sleep(1e6)


def test_a_wait_without_end_reaches_the_limit_if_there_is_one():
    clock = VirtualClock(limit=100)
    with pytest.raises(LimitReached):
        clock.sleep(math.inf)
    assert clock.elapsed() == 100.0
    with pytest.raises(LimitReached, match="can never go on: it waits without end, and its clock has no limit"):
        VirtualClock(limit=None).sleep(math.inf)


def test_an_agent_that_catches_every_exception_does_not_catch_the_limit(clock):
    def agent():
        while True:
            with contextlib.suppress(Exception):
                clock.sleep(50)

    with pytest.raises(LimitReached):
        agent()


def test_a_clock_is_in_charge_of_one_thread_at_a_time(clock):
    refused = []

    def enter():
        with pytest.raises(UsageError, match="in charge of another thread already"), clock.in_charge():
            pytest.fail("never reached")
        refused.append(True)

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert refused
    clock.sleep(1)
    assert clock.elapsed() == 1.0


def test_importing_the_room_imports_no_event_loop_and_no_socket():
    heavy = "('asyncio', 'anyio', 'socket', 'msgspec', 'pydantic')"
    use = "import sys; before = set(sys.modules); import squall.clock; squall.clock.VirtualClock().sleep(1)"
    code = f"{use}; print([m for m in {heavy} if m in sys.modules and m not in before])"  # coverage brings its own
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
