"""Whose turn it is: one thread at a time works in a world, from the beginning of a handler to its end.

Agents in other threads wait for their turn, however long it takes. Who is not an agent waits a moment only: where a
handler waits for a thread that waits for the handler's end, both would wait for ever. Knows threads; no table, no row.
"""

from __future__ import annotations

import threading

from squall.errors import UsageError, is_weather

__tracebackhide__ = is_weather

PATIENCE = 2.0
"""So many real seconds is a write kept waiting that no call of an agent stands behind."""


class Turns:
    """The lock of one world, as a context manager that `taken` has acquired. A thread may take it several times."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._owner = ""
        self._depth = 0
        self._given_up: list[UsageError] = []

    def taken(self, *, patient: bool) -> Turns:
        """The turn of this thread. Raises UsageError if it does not come, unless the thread is `patient`."""
        if not self._lock.acquire(blocking=patient) and not self._lock.acquire(timeout=PATIENCE):
            self._give_up()
        if not self._depth:
            self._owner = threading.current_thread().name
        self._depth += 1
        return self

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_error: object) -> None:
        self._depth -= 1
        if not self._depth:
            self._given_up.clear()
        self._lock.release()

    def check(self) -> None:
        """Raises what another thread was refused in this turn: whoever started it may not have been told."""
        if self._given_up:
            raise self._given_up[0]

    def _give_up(self) -> None:
        mine = threading.current_thread().name
        error = UsageError(
            f"the thread {mine!r} cannot work in this world now: a handler in the thread {self._owner!r} is not done. "
            "A transaction belongs to its thread: hand results over to the handler's own thread, and write there"
        )
        if threading.current_thread() is not threading.main_thread():  # which no handler has started
            self._given_up.append(error)
        raise error
