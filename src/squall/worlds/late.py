"""Effects that land after the caller gave up: functions that the clock calls, or that `settle` calls at the end.

They hang on the clock and not on the request, so no cancellation undoes them. Knows no world.
"""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Callable, Coroutine
from typing import Any, NamedTuple

from squall.clock import Clock, Timer


class Pending(NamedTuple):
    """One function to come: due at `due` seconds of the run; `place` keeps the order of those due together."""

    due: float
    place: int
    thunk: Callable[[], Any]


class Late:
    """What is still to land."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heap: list[Pending] = []
        self._timers: dict[int, Timer] = {}
        self._count = 0
        self._tasks: set[asyncio.Task[Any]] = set()

    def add(self, seconds: float, thunk: Callable[[], Any]) -> None:
        """Calls `thunk` in so many seconds; what it returns is awaited if it is a coroutine."""
        pending = Pending(self._clock.elapsed() + seconds, self._count, thunk)
        self._count += 1
        heapq.heappush(self._heap, pending)
        self._timers[pending.place] = self._clock.call_at(pending.due, lambda: self._due(pending))

    def now(self, thunk: Callable[[], Any]) -> None:
        """Calls `thunk` at once, in the same way."""
        self._land(thunk)

    def settle(self) -> None:
        """Lands everything now, in order of time, also what the landing adds."""
        while self._heap:
            pending = heapq.heappop(self._heap)
            self._timers.pop(pending.place).cancel()
            self._land(pending.thunk)

    def _due(self, pending: Pending) -> None:
        del self._timers[pending.place]
        self._heap.remove(pending)
        heapq.heapify(self._heap)
        self._land(pending.thunk)

    def _land(self, thunk: Callable[[], Any]) -> None:
        result = thunk()
        if asyncio.iscoroutine(result):
            self._drive(result)

    def _drive(self, coroutine: Coroutine[Any, Any, Any]) -> None:
        """An async handler lands in the running loop if there is one, in one of its own if not."""
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            asyncio.run(coroutine)
            return
        task = loop.create_task(coroutine)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
