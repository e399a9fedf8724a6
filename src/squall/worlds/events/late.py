"""Effects that land after the caller gave up: functions that the clock calls, or that `settle` calls at the end.

They hang on the clock and not on the request, so no cancellation undoes them. Knows no world.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import NamedTuple

from squall.clock import Clock


class Pending(NamedTuple):
    """One function to come: due at `due` seconds of the run; `place` keeps the order of those due together."""

    due: float
    place: int
    thunk: Callable[[], object]


class Late:
    """What is still to land. On wall time the clock calls from its own thread, so a lock decides who lands what."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._pending: dict[int, Pending] = {}
        self._lock = threading.Lock()
        self._count = 0
        self.settling = False

    def add(self, seconds: float, thunk: Callable[[], object]) -> None:
        """Calls `thunk` in so many seconds."""
        with self._lock:
            pending = Pending(self._clock.elapsed() + seconds, self._count, thunk)
            self._count += 1
            self._pending[pending.place] = pending
        self._clock.call_at(pending.due, lambda: self._land(pending))

    def settle(self) -> None:
        """Lands everything now, in order of time, also what the landing adds; the clock moves on to each one's time."""
        self.settling = True  # so that a landing knows that nobody waits for the loop to go on
        try:
            while first := self._first():
                self._clock.advance(max(0.0, first.due - self._clock.elapsed()))
                self._land(first)  # unless the clock has done so on its way there
        finally:
            self.settling = False

    def _first(self) -> Pending | None:
        with self._lock:
            return min(self._pending.values(), default=None)

    def _land(self, pending: Pending) -> None:
        with self._lock:
            mine = self._pending.pop(pending.place, None)
        if mine is not None:
            mine.thunk()
