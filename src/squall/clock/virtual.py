"""Virtual time: waiting costs nothing, and the clock stands still while nobody waits.

Counts in whole microseconds, so that a run has the same digits every time. What makes other people's code wait on it
(event loops, `time.sleep`, worker threads) lives in `loop.py` and `patches.py`.
"""

from __future__ import annotations

import math
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, NoReturn

from squall.clock import real
from squall.clock.ending import limit as limit_of
from squall.clock.outside import Outside
from squall.clock.protocol import LIMIT, START, WALL_CAP
from squall.clock.threads import may_wake
from squall.clock.timers import SECOND, Timer, Timers, amount_of, raise_together, ticks, until, wait_of
from squall.errors import Problem, UsageError, is_weather

if TYPE_CHECKING:
    import asyncio

    from squall.clock.loop import LoopTime

# Once the limit has ended a run, its clean-up may wait this much before it is ended too, and so on.
GRACE = 60 * SECOND
LOOK = 0.005  # seconds: how often a sync wait looks whether others are still at work
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
__tracebackhide__ = is_weather


class VirtualClock:
    """A clock that jumps.

    `limit` is how many seconds the run may spend waiting: a wait that would pass it stops the clock there and raises
    `LimitReached`; what is left of the run may then wait 60 s more to clean up before it is raised again. `advance`
    and `set` are the will of whoever calls them: they move the limit along and never raise it.

    Alone, the clock moves when it is asked to. `in_charge()` puts event loops and `time.sleep` on it, on the thread
    that enters the context; all other threads go on in real time, and their `sleep` here is real.
    """

    mode: Literal["virtual", "wall"] = "virtual"

    def __init__(self, start: datetime = START, limit: float | None = LIMIT, *, wall_cap: float = WALL_CAP) -> None:
        self.start = start.replace(tzinfo=UTC) if start.tzinfo is None else start.astimezone(UTC)
        self._epoch = (self.start - EPOCH) // timedelta(microseconds=1)
        self.wall_cap = wall_cap
        self.outside = Outside()
        self.owner = threading.get_ident()
        self.ticks = 0
        self._timers = Timers()
        self._granted = 0  # microseconds that do not count against the limit: advance, set, grace
        self._charges = 0
        self._loops: list[LoopTime] = []
        self._guests: list[Callable[[asyncio.AbstractEventLoop], None]] = []
        self._threads: set[threading.Thread] = set()
        self.entered_by: weakref.ref[asyncio.Task[Any]] | None = None  # the task that put it in charge
        self.limit = limit
        self.notes: list[str] = []
        self.limit_reached: str | None = None
        self.swallowed = 0

    def note(self, sentence: str) -> None:
        """Keep a sentence on where this run's time was not virtual."""
        if sentence not in self.notes:
            self.notes.append(sentence)

    def note_real_time(self, why: str | None) -> None:
        """The clock has gone along with the wall: keep for whom (None: for a job)."""
        self.note(f"the clock went along with real time, because of {why or 'work in a thread or another process'}")

    def hear_of(self, loop: asyncio.AbstractEventLoop | None) -> None:
        """This thread's run is in that event loop (None: of another library than asyncio). Note if it is a real one."""
        from squall.clock.loop import can_be_virtual  # imports asyncio, which costs 30 ms

        if loop is None or not can_be_virtual(loop):
            kind = "one of another library than asyncio" if loop is None else f"a {type(loop).__module__} loop"
            self.note(f"waits took real time, because the event loop cannot be virtual: it is {kind}")

    # what time it is

    def now(self) -> datetime:
        """The time of day in the run, in UTC."""
        return self.start + timedelta(microseconds=self.ticks)

    def time(self) -> float:
        """`now()` in seconds since 1970."""
        return (self._epoch + self.ticks) / SECOND

    def elapsed(self) -> float:
        """Seconds since the run began."""
        return self.ticks / SECOND

    # moving it

    def advance(self, amount: float | timedelta) -> None:
        """Move the clock on by seconds or a timedelta, at once. Does not count against the limit."""
        self._grant(amount_of(amount))

    def set(self, when: datetime) -> None:
        """Move the clock on to a later moment (naive: UTC), at once. Does not count against the limit."""
        self._grant(until(when, self.now()))

    def sleep(self, seconds: float, *, capped: bool = False) -> None:
        """Wait: jumps, or really waits on a thread that this clock is not in charge of."""
        seconds = wait_of(seconds)
        if self.is_mine():
            self.wait(seconds)
        else:
            real.sleep(min(seconds, self.wall_cap) if capped else seconds)

    async def asleep(self, seconds: float, *, capped: bool = False) -> None:
        """Wait in a coroutine.

        On an event loop of asyncio the loop jumps when nothing else can happen; trio, loops that cannot be virtual
        and other threads wait for real. A clock that is in charge of nothing just moves.
        """
        seconds = wait_of(seconds)
        if not self._charges:
            self.wait(seconds)
            await real.asleep(0)
        elif self._on_virtual_loop():
            await real.asleep(seconds)
        else:
            if self.is_mine():
                self.hear_of(real.running_loop())
            await real.asleep(min(seconds, self.wall_cap) if capped else seconds)

    def let_work(self, seconds: float) -> None:
        """Really wait while others are at work, for `seconds` at most: a wait in sync code must not overtake them."""
        began, why = real.monotonic(), None
        while self.outside.running() or (why := self.outside.at_work()):
            left = seconds - (real.monotonic() - began)
            if left <= 0:
                self.note_real_time(why)
                return
            real.sleep(min(LOOK, left))

    def bounded(self, seconds: float) -> float:
        """How long a wait that nobody stated lasts here."""
        return seconds if not self._charges or self._on_virtual_loop() else min(seconds, self.wall_cap)

    def wait(self, seconds: float) -> None:
        """Jump over a wait, or to the limit."""
        if math.isinf(seconds):
            self.wait_for_ever("it waits without end")
        else:
            self.wait_until(self.ticks + ticks(seconds))

    def wait_until(self, target: int) -> None:
        """Jump to `target` microseconds, or to the limit."""
        stop = self._stop
        if stop is None or target <= stop:
            self.pass_to(target)
        else:
            self._end_at(stop, "it hangs, or its limit is too low")

    def wait_for_ever(self, why: str) -> NoReturn:
        """Jump to the limit, because nothing else would end a wait."""
        if self._stop is None:
            raise limit_of(self, f"the run can never go on: {why}, and its clock has no limit")
        self._end_at(self._stop, why)

    def _end_at(self, stop: int, why: str) -> NoReturn:
        self.pass_to(stop)
        self._granted += GRACE
        raise limit_of(self, f"the run has waited {self.limit:g} virtual seconds, which is its limit: {why}")

    def pass_to(self, target: int) -> None:
        """Move to `target` microseconds and call every timer on the way, at its time.

        What timers raise is raised when the clock has arrived.
        """
        errors: list[Exception] = []
        while timer := self._timers.pop(target):
            self.ticks = max(self.ticks, timer.due)
            try:
                timer.fn()
            except Exception as error:  # noqa: BLE001 - one timer's failure must not lose the others
                errors.append(error)
        self.ticks = max(self.ticks, target)
        raise_together(errors)

    # timers

    def call_at(self, elapsed: float, fn: Callable[[], Any]) -> Timer:
        """Call `fn` when the clock passes `elapsed` seconds; a time that has gone means the next move."""
        return self._timers.add(max(ticks(elapsed), self.ticks), fn)

    def pending(self) -> tuple[Timer, ...]:
        """The timers still to come, earliest first."""
        return self._timers.pending()

    def next_due(self) -> int | None:
        """When the earliest timer is due, in microseconds."""
        return self._timers.next_due()

    # being in charge

    @contextmanager
    def in_charge(self) -> Iterator[VirtualClock]:
        """Until the context ends, this thread's event loops and its `time.sleep` run on this clock.

        Contexts nest: the innermost clock is in charge, and the outer one again afterwards. A loop that outlives the
        context goes back to what it was on before, and its time goes on from where it stands.
        """
        from squall.clock import patches  # imports asyncio, which costs 30 ms

        if not self.is_mine():
            raise UsageError("the clock is in charge of another thread already; give each thread a clock of its own")
        patches.refuse_overlap(self)
        owner, self.owner = self.owner, threading.get_ident()
        before = len(self._loops)
        if not self._charges:
            self._threads = set(threading.enumerate())
            self.outside.start(apart=patches.owners())
        self._charges += 1
        patches.enter(self)
        try:
            self._on_virtual_loop(strict=True)
            yield self
        finally:
            patches.leave(self)
            self._charges -= 1
            self.owner = owner
            while len(self._loops) > before:
                self._loops.pop().release()

    def attach(self, loop: asyncio.AbstractEventLoop, *, fresh: bool = False) -> None:
        """Put an event loop of this thread on this clock until `in_charge` ends. Doing it again does nothing.

        `fresh`: the loop has no history, so that its time may begin anew. Raises UsageError if it cannot be virtual.
        """
        from squall.clock.loop import LoopTime  # import asyncio, which costs 30 ms
        from squall.clock.patches import current

        elsewhere = loop.is_running() and real.running_loop() is not loop
        if current() is not self or elsewhere:
            raise UsageError(
                Problem(
                    "virtual time needs an event loop on the thread that the clock is in charge of",
                    hint='run agent and server in one loop under clock.in_charge(), or use clock("wall")',
                )
            )
        if not LoopTime.is_on(loop, self):
            self._loops.append(LoopTime(self, loop, fresh=fresh))
            for guest in self._guests:
                guest(loop)

    def welcome(self, guest: Callable[[asyncio.AbstractEventLoop], None]) -> None:
        """Call `guest` with every event loop on this clock: those that are, and those to come before they run."""
        self._guests.append(guest)
        for time in self._loops:
            guest(time.loop)

    def detach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take an event loop off this clock: it goes on in real time."""
        for time in [time for time in reversed(self._loops) if time.holds(loop)]:
            self._loops.remove(time)
            time.release()

    def is_mine(self) -> bool:
        """Whether the calling thread is on this clock."""
        return not self._charges or threading.get_ident() == self.owner

    def is_alone(self) -> bool:
        """Whether no thread has been started in the run that still lives, but those of pools whose jobs are counted."""
        return all(thread in self._threads or not may_wake(thread) for thread in threading.enumerate())

    def _on_virtual_loop(self, *, strict: bool = False) -> bool:
        """Attach the running loop of asyncio, if there is one and it can be virtual (strict: it must be)."""
        from squall.clock.loop import can_be_virtual  # import asyncio, which costs 30 ms
        from squall.clock.patches import current

        loop = real.running_loop()
        if loop is None or current() is not self:
            return False
        if not strict and not can_be_virtual(loop):
            return False
        self.attach(loop)
        return True

    @property
    def _stop(self) -> int | None:
        """Where a wait must end, in microseconds."""
        return None if self.limit is None else ticks(self.limit) + self._granted

    def _grant(self, amount: int) -> None:
        target = self.ticks + amount
        self._granted += amount
        self.pass_to(target)
