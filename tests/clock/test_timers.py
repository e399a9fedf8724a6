from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import pytest

from squall.clock.timers import Timers, amount_of, raise_together, ticks, until, wait_of
from squall.errors import UsageError

NOW = datetime(2025, 6, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(0, 0), (-1, 0), (1, 1_000_000), (1e-9, 1), (0.0000011, 2), (0.1 + 0.2, 300_000), (60 + 4e-9, 60_000_000)],
)
def test_seconds_become_microseconds_rounded_up_and_at_least_one(seconds, expected):
    assert ticks(seconds) == expected


def test_an_amount_is_seconds_or_a_timedelta():
    assert amount_of(1.5) == amount_of(timedelta(seconds=1, milliseconds=500)) == 1_500_000


@pytest.mark.parametrize("amount", [-1, -1e-9, timedelta(seconds=-1)])
def test_an_amount_that_turns_time_back_is_refused(amount):
    with pytest.raises(UsageError, match="would turn time back") as caught:
        amount_of(amount)
    assert repr(amount) in str(caught.value)
    assert "give seconds >= 0 or a timedelta" in str(caught.value)


@pytest.mark.parametrize("amount", [True, "5", None, math.nan, math.inf])
def test_what_is_no_amount_of_time_is_refused(amount):
    with pytest.raises(UsageError, match="is no amount of time"):
        amount_of(amount)


def test_a_naive_moment_is_utc():
    assert until(datetime(2025, 6, 1, 0, 1), NOW) == until(datetime(2025, 6, 1, 0, 1, tzinfo=UTC), NOW) == 60_000_000


def test_a_moment_that_has_gone_is_refused_and_told_what_time_it_is():
    with pytest.raises(UsageError) as caught:
        until(datetime(2025, 5, 31), NOW)
    assert "set(2025-05-31T00:00:00+00:00) is in the past: it is 2025-06-01T00:00:00+00:00" in str(caught.value)


def test_what_is_no_moment_is_refused():
    with pytest.raises(UsageError, match="set\\('tomorrow'\\) is no moment"):
        until("tomorrow", NOW)


@pytest.mark.parametrize("seconds", [-1, math.nan])
def test_a_wait_is_refused_as_time_sleep_does(seconds):
    with pytest.raises(ValueError, match="must be non-negative"):
        wait_of(seconds)


def test_timers_come_in_order_of_time_then_of_creation():
    timers = Timers()
    made = [timers.add(due, lambda: None) for due in (5, 3, 5, 4)]
    assert timers.pending() == (made[1], made[3], made[0], made[2])
    assert timers.next_due() == 3
    assert [timers.pop(5) for _ in range(5)] == [made[1], made[3], made[0], made[2], None]
    assert timers.next_due() is None


def test_a_timer_that_is_not_due_stays():
    timers = Timers()
    timers.add(5, lambda: None)
    assert timers.pop(4) is None
    assert len(timers.pending()) == 1


def test_a_cancelled_timer_is_gone():
    timers = Timers()
    first, second = timers.add(1, lambda: None), timers.add(2_000_000, lambda: None)
    first.cancel()
    assert timers.pending() == (second,)
    assert timers.next_due() == 2_000_000
    second.cancel()
    assert timers.pop(9_000_000) is None
    assert repr(second) == "<Timer at 2.0 s, cancelled>"


def test_one_failure_is_raised_itself_and_several_as_a_group():
    raise_together([])
    with pytest.raises(KeyError):
        raise_together([KeyError("a")])
    with pytest.raises(ExceptionGroup) as caught:
        raise_together([KeyError("a"), ValueError("b")])
    assert len(caught.value.exceptions) == 2
