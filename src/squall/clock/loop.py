"""Virtual time on one event loop of asyncio, by instance attributes, and taken off it again.

The loop's selector looks for what is really ready first; where nothing is and nothing outside the loop is under way, it
jumps to the next timer, of the loop or of the clock. Knows no clients and no servers: their own code waits, in no time.

Guards. While a job, a thread or a child process is under way, or the loop hears somebody outside it, the loop really
waits, and never longer than it would on wall time. What it waited for a job is forgotten when the job ends, so that the
run has the same times always; otherwise the clock moves along with the wall. A connection to a server outside that
stays open, idle or not, therefore means wall time for the loop until it is closed.

A loop that nothing can wake any more has reached the limit: it is told so at once, and does not hang. One that only
goes round and round (`while not done: await asyncio.sleep(0)`), in no time and with nobody at work, waits as well.
"""

from __future__ import annotations

import asyncio
import asyncio.base_events
import asyncio.selector_events
import inspect
import math
import signal
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from selectors import BaseSelector, SelectorKey
from typing import TYPE_CHECKING, Any

from squall.clock import patches, real
from squall.clock.peers import Peers
from squall.clock.timers import SECOND, ticks
from squall.errors import LimitReached, Problem, UsageError, is_weather

if TYPE_CHECKING:
    from squall.clock.virtual import VirtualClock

STEP = 0.005  # seconds: how often a guarded wait looks whether what it waits for has ended without a word
FIRST = 0.0002  # seconds: the first look; most of what has just told the loop is over by then
ROUND = 10_000  # turns of a loop between two looks whether anything else happens
ROUNDS = 100  # looks that have seen nothing: about a million turns
Events = list[tuple[SelectorKey, int]]
MISSING = object()
GOES_ROUND = (
    f"its event loop goes round and round in no time, as by `await asyncio.sleep(0)`, and in {ROUND * ROUNDS:,} turns "
    "nothing else has happened"
)
__tracebackhide__ = is_weather


def can_be_virtual(loop: asyncio.AbstractEventLoop) -> bool:
    """Whether it is one of asyncio's own loops on a selector."""
    return isinstance(loop, asyncio.selector_events.BaseSelectorEventLoop)


class LoopTime:
    """One loop on one clock."""

    def __init__(self, clock: VirtualClock, loop: asyncio.AbstractEventLoop, *, fresh: bool) -> None:
        if not can_be_virtual(loop):
            kind = f"{type(loop).__module__}.{type(loop).__qualname__}"
            raise UsageError(
                Problem(
                    f"virtual time needs one of asyncio's selector loops, and this one is a {kind}",
                    hint='put the run on wall time with clock("wall"), or use asyncio\'s own loop',
                )
            )
        patches.count_worker_threads()
        self.clock = clock
        self._loop: Any = loop
        self._selector: BaseSelector = vars(loop)["_selector"]  # no public name leads to it
        self._peers = Peers(self._selector, clock.outside.inside)
        self._poll: Callable[[float | None], Events] = type(self._selector).select.__get__(self._selector)
        self._register: Callable[..., SelectorKey] = type(self._selector).register.__get__(self._selector)
        self._before = weakref.WeakSet(task for task in asyncio.all_tasks(loop) if _is_under_way(task))
        self.time_before: Callable[[], float] = loop.time
        self._base = 0 if fresh else math.ceil(loop.time() * SECOND) - clock.ticks
        self._reached = -math.inf
        self._waited = 0.0
        self._slow: str | None = None
        self._turns = self._quiet = 0
        self._seen = (0, 0)
        self._restore: list[tuple[Any, str, Any]] = []
        self._shutdown_executor = self._loop.shutdown_default_executor
        self._call_soon_threadsafe = self._loop.call_soon_threadsafe
        self._put(loop, "time", self.time)
        self._put(self._selector, "select", self.select)
        self._put(self._selector, "register", self.register)
        self._put(loop, "shutdown_default_executor", self.shutdown_default_executor)
        self._put(loop, "call_soon_threadsafe", self.call_soon_threadsafe)

    @staticmethod
    def is_on(loop: asyncio.AbstractEventLoop, clock: VirtualClock) -> bool:
        """Whether this clock is the one that the loop is on now."""
        last = _on(loop)
        return last is not None and last.clock is clock

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop that is on the clock."""
        loop: asyncio.AbstractEventLoop = self._loop
        return loop

    def holds(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Whether it is this loop's."""
        return self._loop is loop

    def release(self) -> None:
        """Give the loop back what it had; its time never goes back. A clock that came later gives it back instead."""
        later = self._later()
        if later is not None:
            later._restore, later.time_before = self._restore, self.time_before  # noqa: SLF001 - one of its kind
            return
        now = self._loop.time()
        while self._restore:
            owner, name, value = self._restore.pop()
            if value is MISSING:
                owner.__dict__.pop(name, None)
            else:
                setattr(owner, name, value)
        if now > self.time_before() and not self._loop.is_closed():
            self._loop.time = Shifted(self.time_before, now)

    def _later(self) -> LoopTime | None:
        """What came onto the loop next after this."""
        later, last = None, _on(self._loop)
        while last is not None and last is not self:
            later, last = last, _owner(last.time_before)
        return later

    # what the loop asks

    def time(self) -> float:
        """The loop's time: at least the deadline it jumped to, whatever digits that has."""
        return max((self._base + self.clock.ticks) / SECOND, self._reached)

    def select(self, timeout: float | None = None) -> Events:
        """What is ready; if nothing is, after a jump to the next timer."""
        clock = self.clock
        due = clock.next_due()
        if due is not None and due <= clock.ticks:
            clock.pass_to(clock.ticks)
            return self._poll(0)
        events = self._poll(0)
        if events:
            return self._arrived(events)
        if timeout is not None and timeout <= 0:
            self._turns += 1
            if self._turns >= ROUND:
                self._look_round(due)
            return events
        self._turns = self._quiet = 0
        mine = math.inf if timeout is None else clock.ticks + ticks(timeout)
        target = mine if due is None else min(mine, due)
        slow, job = self._at_work(), clock.outside.pending()
        if slow or job:
            self._slow = self._slow or (None if job else slow)
            return self._wait_outside(target)
        events = self._poll(0)  # whatever was under way has ended, and may have told the loop just now
        if events:
            return self._arrived(events)
        self._waited, self._slow = 0.0, None
        if target == math.inf:
            if self._is_stuck():
                self._give_up("its event loop waits, and neither time nor anybody outside would ever wake it")
            return self._poll(None)
        self._jump(int(target), self.time() + timeout if timeout is not None and target == mine else None)
        return []

    def register(self, *what: Any, **options: Any) -> SelectorKey:
        """Note who is in the loop: a client may have stopped reading by the time that the loop has nothing to do."""
        key = self._register(*what, **options)
        self._peers.note(key.fd)
        return key

    def call_soon_threadsafe(self, callback: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Note who wakes the loop."""
        self.clock.outside.threads.woke(callback)
        return self._call_soon_threadsafe(callback, *args, **kwargs)

    async def shutdown_default_executor(self, *args: Any, **kwargs: Any) -> None:
        """Count the thread that waits for the executor's threads."""
        work = self.clock.outside.begin(self._loop.is_closed, running=False)
        try:
            await self._shutdown_executor(*args, **kwargs)
        finally:
            work.collect()

    # waiting and jumping

    def _jump(self, target: int, deadline: float | None) -> None:
        with self._ending_the_run():
            self.clock.wait_until(target)
        if deadline is not None:
            self._reached = math.nextafter(deadline, math.inf)

    def _is_stuck(self) -> bool:
        """Whether nothing can ever wake the loop: it hears itself alone, and no thread was started that might call."""
        heard = len(self._selector.get_map() or ())
        return heard <= 1 and self.clock.limit is not None and self.clock.is_alone()

    def _give_up(self, why: str) -> None:
        with self._ending_the_run():
            self.clock.wait_for_ever(why)

    def _look_round(self, due: int | None) -> None:
        """The loop had something of its own to do for many turns. Where nothing else happens for too many, it waits.

        It waits for the next timer then, which comes at once; without one nothing would ever end this.
        """
        clock = self.clock
        self._turns = 0
        quiet = self._seen == self._sight() and not clock.outside.pending() and self._at_work() is None
        self._quiet = self._quiet + 1 if quiet else 0
        try:
            if self._quiet >= ROUNDS:
                when = min((each.when() for each in self._loop._scheduled if not each.cancelled()), default=math.inf)  # noqa: SLF001 - nothing public tells
                mine = clock.ticks + ticks(when - self.time()) if when < math.inf else when
                target = min(mine, math.inf if due is None else due)
                if target < math.inf:
                    self._jump(int(target), when if target == mine else None)
                elif clock.limit is not None and clock.is_alone():
                    self._give_up(GOES_ROUND)
        finally:
            self._seen = self._sight()

    def _sight(self) -> tuple[int, int]:
        """What changes where something happens: the time, and how many threads have been started."""
        return self.clock.ticks, self.clock.outside.threads.births

    @contextmanager
    def _ending_the_run(self) -> Iterator[None]:
        """Reaching the limit cancels the run's tasks, so that they end when the loop runs again, in no later test."""
        try:
            yield
        except LimitReached:
            for task in asyncio.all_tasks(self._loop) - set(self._before):
                task.cancel()
            raise

    def _at_work(self) -> str | None:
        """Whoever may wake the loop and is no job, in words."""
        return self.clock.outside.at_work() or self._peers.stranger() or self._alarm()

    def _alarm(self) -> str | None:
        """A signal that the loop listens for and the system's timer will send."""
        listens = getattr(signal, "SIGALRM", None) in vars(self._loop).get("_signal_handlers", ())
        return "an alarm of the system" if listens and signal.getitimer(signal.ITIMER_REAL)[0] > 0 else None

    def _wait_outside(self, target: float) -> Events:
        wanted = (target - self.clock.ticks) / SECOND
        step = min(STEP, max(FIRST, self._waited))
        began = real.monotonic()
        events = self._poll(max(0.0, min(step, wanted - self._waited)))
        self._waited += real.monotonic() - began
        if events:
            return self._arrived(events)
        if self._waited >= wanted:
            self.clock.note_real_time(self._slow or self._at_work())
            self._waited, self._slow = 0.0, None
            self._jump(int(target), None)
        return events

    def _arrived(self, events: Events) -> Events:
        """Something is ready: what was waited for it moves the clock, unless it was the end of the last job."""
        self._turns = self._quiet = 0
        waited, self._waited = self._waited, 0.0
        slow, self._slow = self._slow, None
        if waited and ((slow := slow or self._at_work()) or self.clock.outside.running()):
            self.clock.note_real_time(slow)
            self._jump(self.clock.ticks + ticks(waited), None)
        return events

    def _put(self, owner: Any, name: str, value: Any) -> None:
        self._restore.append((owner, name, owner.__dict__.get(name, MISSING)))
        setattr(owner, name, value)


def _on(loop: asyncio.AbstractEventLoop) -> LoopTime | None:
    """What a loop is on now."""
    return _owner(vars(loop).get("time")) if hasattr(loop, "__dict__") else None


def _owner(time: object) -> LoopTime | None:
    """Whose method a loop's time is."""
    owner = getattr(time, "__self__", None)
    return owner if isinstance(owner, LoopTime) else None


class Shifted:
    """The time of a loop that has been further on than its own would tell."""

    def __init__(self, time: Callable[[], float], now: float) -> None:
        self.time: Callable[[], float] = time.time if isinstance(time, Shifted) else time
        self.gap = now - self.time()

    def __call__(self) -> float:
        """Go on from where it stood."""
        return self.time() + self.gap


def _is_under_way(task: asyncio.Task[Any]) -> bool:
    """Whether a task began before and is not the one that runs now."""
    coroutine = task.get_coro()
    return inspect.iscoroutine(coroutine) and inspect.getcoroutinestate(coroutine) == inspect.CORO_SUSPENDED
