"""A clock's own timers, and microseconds: the unit in which clocks count.

Timers fire in order of (time, creation). Knows no clock: whoever moves one pops what has come due.
"""

from __future__ import annotations

import heapq
import itertools
import math
import threading
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from squall.errors import Problem, UsageError, shown

SECOND = 1_000_000
# What float arithmetic on loop times may add to a whole number of microseconds, in microseconds. A machine that is
# up for a year has a resolution of 4e-9 s.
NOISE = 0.05


def ticks(seconds: float) -> int:
    """Whole microseconds, rounded up; more than nothing is at least one.

    Rounding to nearest would stop time: asyncio fires a timer up to its resolution early, anyio sees that the deadline
    is not there yet, arms again for less than half a tick, and the clock never moves.
    """
    return max(1, math.ceil(seconds * SECOND - NOISE)) if seconds > 0 else 0


def amount_of(amount: object) -> int:
    """The microseconds a clock is to be moved on by."""
    usual = "a clock goes forward only: give seconds >= 0 or a timedelta"
    if isinstance(amount, timedelta):
        moved = amount // timedelta(microseconds=1)
        if moved < 0:
            raise UsageError(Problem(f"advance({shown(amount)}) would turn time back", hint=usual))
        return moved
    if isinstance(amount, bool) or not isinstance(amount, int | float) or not math.isfinite(amount):
        raise UsageError(Problem(f"advance({shown(amount)}) is no amount of time", hint=usual))
    if amount < 0:
        raise UsageError(Problem(f"advance({shown(amount)}) would turn time back", hint=usual))
    return ticks(amount)


def until(when: object, now: datetime) -> int:
    """The microseconds from `now` to `when` (naive: UTC)."""
    if not isinstance(when, datetime):
        raise UsageError(Problem(f"set({shown(when)}) is no moment", hint="give a datetime, such as clock.now()"))
    aware = when.replace(tzinfo=UTC) if when.tzinfo is None else when
    moved = (aware - now) // timedelta(microseconds=1)
    if moved < 0:
        raise UsageError(
            Problem(
                f"set({aware.isoformat()}) is in the past: it is {now.isoformat()} already",
                hint="a clock goes forward only: set it before anything has waited, or start it earlier",
            )
        )
    return moved


def wait_of(seconds: float) -> float:
    """The seconds of a wait (infinite: for ever), refused as `time.sleep` does."""
    if math.isnan(seconds) or seconds < 0:
        raise ValueError(f"sleep length must be non-negative, not {seconds!r}")
    return float(seconds)


class Timer:
    """A function that a clock calls once, at `when` seconds of the run."""

    __slots__ = ("cancelled", "due", "fn")

    def __init__(self, due: int, fn: Callable[[], Any]) -> None:
        self.due = due
        self.fn = fn
        self.cancelled = False

    @property
    def when(self) -> float:
        """Seconds since the run began."""
        return self.due / SECOND

    def cancel(self) -> None:
        """Do not call it. Nothing happens if it was called already."""
        self.cancelled = True

    def __repr__(self) -> str:
        return f"<Timer at {self.when} s{', cancelled' if self.cancelled else ''}>"


class Timers:
    """The timers of one clock. Any thread may add to them."""

    def __init__(self) -> None:
        self._heap: list[tuple[int, int, Timer]] = []
        self._order = itertools.count()
        self._lock = threading.Lock()

    def add(self, due: int, fn: Callable[[], Any]) -> Timer:
        """A new timer at `due` microseconds."""
        timer = Timer(due, fn)
        with self._lock:
            heapq.heappush(self._heap, (due, next(self._order), timer))
        return timer

    def next_due(self) -> int | None:
        """When the earliest is due, in microseconds."""
        if not self._heap:
            return None
        with self._lock:
            while self._heap and self._heap[0][2].cancelled:
                heapq.heappop(self._heap)
            return self._heap[0][0] if self._heap else None

    def pop(self, until: int) -> Timer | None:
        """Take the earliest, if it is due by `until`."""
        if not self._heap:
            return None
        with self._lock:
            while self._heap and (self._heap[0][2].cancelled or self._heap[0][0] <= until):
                timer = heapq.heappop(self._heap)[2]
                if not timer.cancelled:
                    return timer
        return None

    def pending(self) -> tuple[Timer, ...]:
        """All of them, earliest first."""
        with self._lock:
            return tuple(timer for _, _, timer in sorted(self._heap) if not timer.cancelled)


def raise_together(errors: list[Exception]) -> None:
    """What timers raised, once all of them have been called."""
    if len(errors) == 1:
        raise errors[0]
    if errors:
        raise ExceptionGroup("several timers of the clock failed", errors)
