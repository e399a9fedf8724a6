from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, timedelta

import pytest

from squall.clock import START, Clock, Timer, VirtualClock, WallClock
from squall.errors import LimitReached, UsageError

MAKERS: list[Callable[[], Clock]] = [VirtualClock, WallClock]


@pytest.fixture(params=MAKERS, ids=["virtual", "wall"])
def clock(request):
    clock: Clock = request.param()
    with clock.in_charge() as same:
        assert same is clock
        yield clock


def test_every_clock_begins_at_the_start_in_utc(clock):
    assert START <= clock.now() < START + timedelta(minutes=1)
    assert clock.now().tzinfo is UTC
    assert clock.time() == pytest.approx(START.timestamp(), abs=60)
    assert 0 <= clock.elapsed() < 60


def test_every_clock_says_what_it_is_and_how_long_it_waits(clock):
    assert clock.mode in ("virtual", "wall")
    assert clock.wall_cap == 2.0
    assert clock.limit == 3600.0


def test_every_clock_can_be_moved_forward_only(clock):
    clock.advance(timedelta(minutes=1))
    clock.set(clock.now() + timedelta(hours=1))
    assert clock.elapsed() >= 3660
    with pytest.raises(UsageError):
        clock.advance(-1)
    with pytest.raises(UsageError):
        clock.set(START)


def test_every_clock_fires_its_timers_in_order(clock):
    fired = []
    timers = [clock.call_at(when, lambda: fired.append(clock.elapsed())) for when in (2000, 1000)]
    assert all(isinstance(timer, Timer) for timer in timers)
    assert [timer.when for timer in clock.pending()] == [1000.0, 2000.0]
    timers[0].cancel()
    clock.advance(3000)
    assert len(fired) == 1
    assert fired[0] >= 1000.0
    assert clock.pending() == ()


def test_every_clock_ends_a_wait_at_its_limit(clock):
    clock.limit = 0.0
    clock.sleep(0)
    with pytest.raises(LimitReached, match="which is its limit"):
        clock.sleep(1000)


def test_every_clock_refuses_a_wait_of_less_than_nothing(clock):
    with pytest.raises(ValueError, match="non-negative"):
        clock.sleep(-1)
