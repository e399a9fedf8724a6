"""Effects that land after the caller gave up: functions that the clock calls, or that `settle` calls at the end.

They hang on the clock and not on the request, so no cancellation undoes them. Knows no world.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import NamedTuple

from squall.clock import Clock, Timer


class Pending(NamedTuple):
    """One function to come: due at `due` seconds of the run; `place` keeps the order of those due together."""

    due: float
    place: int
    thunk: Callable[[], object]


class Late:
    """What is still to land."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._heap: list[Pending] = []
        self._timers: dict[int, Timer] = {}
        self.settling = False
        self._count = 0

    def add(self, seconds: float, thunk: Callable[[], object]) -> None:
        """Calls `thunk` in so many seconds."""
        pending = Pending(self._clock.elapsed() + seconds, self._count, thunk)
        self._count += 1
        heapq.heappush(self._heap, pending)
        self._timers[pending.place] = self._clock.call_at(pending.due, lambda: self._due(pending))

    def settle(self) -> None:
        """Lands everything now, in order of time, also what the landing adds; the clock moves on to each one's time."""
        self.settling = True  # so that a landing knows that nobody waits for the loop to go on
        try:
            while self._heap:
                first = self._heap[0]
                self._clock.advance(max(0.0, first.due - self._clock.elapsed()))
                if first.place in self._timers:  # the clock stood there already, and its timer has not fired yet
                    self._timers[first.place].cancel()
                    self._due(first)
        finally:
            self.settling = False

    def _due(self, pending: Pending) -> None:
        if self._timers.pop(pending.place, None) is not None:
            self._heap.remove(pending)
            heapq.heapify(self._heap)
            pending.thunk()
