"""Virtual time on one event loop of asyncio, by instance attributes, and taken off it again.

The loop's selector looks for what is really ready first; where nothing is and nothing outside the loop is under way, it
jumps to the next timer, of the loop or of the clock. Knows no clients and no servers: their own code waits, in no time.

Guards. While a worker thread, an executor job or a child process is under way, or a socket is connected to somebody
outside the loop, the loop really waits, and never longer than it would on wall time. What it waited for a job is
forgotten when the job ends, so that the run has the same times always; otherwise the clock moves along with the wall. A
connection to a server outside that stays open, idle or not, therefore means wall time for the loop until it is closed.

A loop that nothing can wake any more has reached the limit: it is told so at once, and does not hang.
"""

from __future__ import annotations

import asyncio
import asyncio.base_events
import asyncio.selector_events
import inspect
import math
import weakref
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from selectors import BaseSelector, SelectorKey
from typing import TYPE_CHECKING, Any

from squall.clock import patches, real
from squall.clock.peers import Peers
from squall.clock.timers import SECOND, ticks
from squall.errors import LimitReached, Problem, UsageError, is_weather

if TYPE_CHECKING:
    from squall.clock.virtual import VirtualClock

STEP = 0.005  # seconds: how often a guarded wait looks whether a thread has ended that nobody waits for
Events = list[tuple[SelectorKey, int]]
MISSING = object()
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
        self._before = weakref.WeakSet(task for task in asyncio.all_tasks(loop) if _is_under_way(task))
        self._time_before: Callable[[], float] = loop.time
        self._base = 0 if fresh else math.ceil(loop.time() * SECOND) - clock.ticks
        self._reached = -math.inf
        self._waited = 0.0
        self._restore: list[tuple[Any, str, Any]] = []
        self._spawn = {name: getattr(self._loop, name) for name in ("subprocess_exec", "subprocess_shell")}
        self._run_in_executor = self._loop.run_in_executor
        self._shutdown_executor = self._loop.shutdown_default_executor
        self._put(loop, "time", self.time)
        self._put(self._selector, "select", self.select)
        self._put(loop, "run_in_executor", self.run_in_executor)
        self._put(loop, "shutdown_default_executor", self.shutdown_default_executor)
        self._put(loop, "subprocess_exec", self.subprocess_exec)
        self._put(loop, "subprocess_shell", self.subprocess_shell)

    @staticmethod
    def is_on(loop: asyncio.AbstractEventLoop, clock: VirtualClock) -> bool:
        """Whether this clock is the one that the loop is on now."""
        owner = getattr(vars(loop).get("time"), "__self__", None) if hasattr(loop, "__dict__") else None
        return isinstance(owner, LoopTime) and owner.clock is clock

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The loop that is on the clock."""
        loop: asyncio.AbstractEventLoop = self._loop
        return loop

    def holds(self, loop: asyncio.AbstractEventLoop) -> bool:
        """Whether it is this loop's."""
        return self._loop is loop

    def release(self) -> None:
        """Give the loop back what it had; its time never goes back."""
        now = self._loop.time()
        while self._restore:
            owner, name, value = self._restore.pop()
            if value is MISSING:
                owner.__dict__.pop(name, None)
            else:
                setattr(owner, name, value)
        if now > self._time_before() and not self._loop.is_closed():
            self._loop.time = Shifted(self._time_before, now)

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
            return events
        mine = math.inf if timeout is None else clock.ticks + ticks(timeout)
        target = mine if due is None else min(mine, due)
        if clock.outside.pending() or self._peers.foreign():
            return self._wait_outside(target)
        self._waited = 0.0
        if target == math.inf:
            if self._is_stuck():
                self._give_up()
            return self._poll(None)
        self._jump(int(target), self.time() + timeout if timeout is not None and target == mine else None)
        return []

    def run_in_executor(self, executor: Executor | None, fn: Callable[..., Any], *args: Any) -> Any:
        """Count the job."""
        work = self.clock.outside.begin(self._loop.is_closed)
        try:
            # what a pool of processes runs must be picklable, so that there the result alone tells the end
            in_thread = executor is None or isinstance(executor, ThreadPoolExecutor)
            future = self._run_in_executor(executor, work.wrap(fn) if in_thread else fn, *args)
        except BaseException:
            work.collect()
            raise
        future.add_done_callback(work.collect)
        return future

    async def shutdown_default_executor(self, *args: Any, **kwargs: Any) -> None:
        """Count the thread that waits for the executor's threads."""
        work = self.clock.outside.begin(self._loop.is_closed, running=False)
        try:
            await self._shutdown_executor(*args, **kwargs)
        finally:
            work.collect()

    async def subprocess_exec(self, *args: Any, **kwargs: Any) -> Any:
        """Count the child."""
        return await self._spawned("subprocess_exec", *args, **kwargs)

    async def subprocess_shell(self, *args: Any, **kwargs: Any) -> Any:
        """Count the child."""
        return await self._spawned("subprocess_shell", *args, **kwargs)

    async def _spawned(self, how: str, *args: Any, **kwargs: Any) -> Any:
        work = self.clock.outside.begin(self._loop.is_closed, running=False)
        try:
            pair = await self._spawn[how](*args, **kwargs)
            child = pair[0]
            self.clock.outside.watch(lambda: child.get_returncode() is None and not self._loop.is_closed())
        finally:
            work.collect()
        return pair

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

    def _give_up(self) -> None:
        with self._ending_the_run():
            self.clock.wait_for_ever("its event loop waits, and neither time nor anybody outside would ever wake it")

    @contextmanager
    def _ending_the_run(self) -> Iterator[None]:
        """Reaching the limit cancels the run's tasks, so that they end when the loop runs again, in no later test."""
        try:
            yield
        except LimitReached:
            for task in asyncio.all_tasks(self._loop) - set(self._before):
                task.cancel()
            raise

    def _wait_outside(self, target: float) -> Events:
        wanted = (target - self.clock.ticks) / SECOND
        began = real.monotonic()
        events = self._poll(None if wanted == math.inf else max(0.0, min(STEP, wanted - self._waited)))
        self._waited += real.monotonic() - began
        if events:
            return self._arrived(events)
        if self._waited >= wanted:
            self._waited = 0.0
            self._say_why()
            self._jump(int(target), None)
        return events

    def _arrived(self, events: Events) -> Events:
        """Something is ready: what was waited for it moves the clock, unless it was the end of the last job."""
        waited, self._waited = self._waited, 0.0
        if waited and (self.clock.outside.running() or self._peers.foreign()):
            self._say_why()
            self._jump(self.clock.ticks + ticks(waited), None)
        return events

    def _say_why(self) -> None:
        """The clock moves along with the wall: tell the run for whom."""
        stranger = self._peers.stranger()
        whom = stranger if stranger is not None else self.clock.outside.what()
        self.clock.note(f"the clock went along with real time, because of {whom}")

    def _put(self, owner: Any, name: str, value: Any) -> None:
        self._restore.append((owner, name, owner.__dict__.get(name, MISSING)))
        setattr(owner, name, value)


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
