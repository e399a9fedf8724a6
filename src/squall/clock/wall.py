"""Wall time: for runs whose client, server or agent cannot be on virtual time.

It starts where a virtual clock does and goes on with the real one; `advance` and `set` move it ahead. Its timers fire
on a thread of their own.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal

from squall.clock import real
from squall.clock.ending import limit as limit_of
from squall.clock.protocol import LIMIT, START, WALL_CAP
from squall.clock.timers import SECOND, Timer, Timers, amount_of, raise_together, ticks, until, wait_of
from squall.errors import LimitReached, is_weather

if TYPE_CHECKING:
    import asyncio

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
TICK = timedelta(microseconds=1)
LOOK = 0.1  # seconds: how often a thread looks whether the loop that it waits for has ended
__tracebackhide__ = is_weather


class WallClock:
    """A clock that goes by itself.

    `wall_cap` bounds a wait that nobody stated in seconds; a wait that would pass `limit` real seconds of the run ends
    there and raises `LimitReached`. `advance` and `set` do not count against the limit.
    """

    mode: Literal["virtual", "wall"] = "wall"

    def __init__(self, start: datetime = START, wall_cap: float = WALL_CAP, limit: float | None = LIMIT) -> None:
        self.start = start.replace(tzinfo=UTC) if start.tzinfo is None else start.astimezone(UTC)
        self.wall_cap = wall_cap
        self.limit = limit
        self.notes: list[str] = []
        self.limit_reached: str | None = None
        self.swallowed = 0
        self._began = real.monotonic()
        self._moved = 0
        self._timers = Timers()
        self._firing = threading.RLock()
        self._wake = threading.Condition()
        self._thread: threading.Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    def fire_in(self, loop: asyncio.AbstractEventLoop | None) -> None:
        """Let timers fire in an event loop from now on, between its other work (None: on the thread of their own)."""
        self._loop = loop

    def now(self) -> datetime:
        """The time of day in the run, in UTC."""
        return self.start + timedelta(microseconds=self._ticks())

    def time(self) -> float:
        """`now()` in seconds since 1970."""
        return ((self.start - EPOCH) // TICK + self._ticks()) / SECOND

    def elapsed(self) -> float:
        """Seconds since the run began."""
        return self._ticks() / SECOND

    def advance(self, amount: float | timedelta) -> None:
        """Move the clock on by seconds or a timedelta, at once; timers on the way fire before it returns."""
        self._move(amount_of(amount))

    def set(self, when: datetime) -> None:
        """Move the clock on to a later moment (naive: UTC), at once; timers on the way fire before it returns."""
        self._move(until(when, self.now()))

    def sleep(self, seconds: float, *, capped: bool = False) -> None:
        """Really wait."""
        seconds, passes = self._bounded(seconds, capped=capped)
        real.sleep(seconds)
        if passes:
            raise self._limit_reached()

    async def asleep(self, seconds: float, *, capped: bool = False) -> None:
        """Really wait in a coroutine."""
        seconds, passes = self._bounded(seconds, capped=capped)
        await real.asleep(seconds)
        if passes:
            raise self._limit_reached()

    def bounded(self, seconds: float) -> float:
        """How long a wait that nobody stated lasts."""
        return min(seconds, self.wall_cap)

    def call_at(self, elapsed: float, fn: Callable[[], Any]) -> Timer:
        """Call `fn` when `elapsed` seconds of the run have gone: on another thread, unless `advance` or `set` do it."""
        timer = self._timers.add(ticks(elapsed), fn)
        with self._wake:
            if self._thread is None:
                self._thread = threading.Thread(target=self._serve, name="squall-clock", daemon=True)
                self._thread.start()
            self._wake.notify()
        return timer

    def pending(self) -> tuple[Timer, ...]:
        """The timers still to come, earliest first."""
        return self._timers.pending()

    @contextmanager
    def in_charge(self) -> Iterator[WallClock]:
        """Nothing is replaced; at the end the thread of the timers stops, and those still to come stay pending."""
        try:
            yield self
        finally:
            with self._wake:
                thread, self._thread = self._thread, None
                self._wake.notify()
            if thread is not None:
                thread.join()

    def _ticks(self) -> int:
        return ticks(real.monotonic() - self._began) + self._moved

    def _move(self, amount: int) -> None:
        self._moved += amount
        try:
            self._fire()
        finally:
            with self._wake:
                self._wake.notify()

    def _fire(self) -> None:
        errors: list[Exception] = []
        with self._firing:  # one after another, whichever thread they fire on
            while timer := self._timers.pop(self._ticks()):
                try:
                    timer.fn()
                except Exception as error:  # noqa: BLE001 - one timer's failure must not lose the others
                    errors.append(error)
        raise_together(errors)

    def _fire_where_wanted(self) -> None:
        due, loop = self._timers.next_due(), self._loop
        if loop is None or due is None or due > self._ticks():
            self._fire()
            return
        fired = threading.Event()
        errors: list[Exception] = []

        def fire() -> None:
            if not fired.is_set():
                try:
                    self._fire()
                except Exception as error:  # noqa: BLE001 - told on the thread of the timers, as ever
                    errors.append(error)
                fired.set()

        with suppress(RuntimeError):  # it has ended
            loop.call_soon_threadsafe(fire)
        while not fired.wait(LOOK):
            if not loop.is_running():
                fire()
        raise_together(errors)

    def _serve(self) -> None:
        me = threading.current_thread()
        while self._thread is me:
            try:
                self._fire_where_wanted()
            except Exception as error:  # noqa: BLE001 - shown as any thread's is, and the thread goes on
                threading.excepthook(threading.ExceptHookArgs((type(error), error, error.__traceback__, me)))
            with self._wake:
                due = self._timers.next_due()
                if self._thread is me and (due is None or due > self._ticks()):
                    self._wake.wait(None if due is None else (due - self._ticks()) / SECOND)

    def _bounded(self, seconds: float, *, capped: bool) -> tuple[float, bool]:
        seconds = wait_of(seconds)
        if capped:
            seconds = min(seconds, self.wall_cap)
        left = math.inf if self.limit is None else max(0.0, self.limit + (self._moved / SECOND) - self.elapsed())
        if math.isinf(min(seconds, left)):
            raise limit_of(self, "the run can never go on: it waits without end, and its clock has no limit")
        return min(seconds, left), seconds > left

    def _limit_reached(self) -> LimitReached:
        return limit_of(self, f"the run has lasted {self.limit:g} real seconds, which is its limit")
