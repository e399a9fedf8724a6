"""The clock of a conversation that any thread may have: those that are not the run's own really wait, and it is said.

Knows no client and no wire.
"""

from __future__ import annotations

from typing import Any

from squall.clock import Clock, VirtualClock

NOTE = "a sync client in a thread waited in real time, because virtual time is that of the test's own thread"


class ToldOfThreads:
    """A run's clock, with a note on it where somebody else than its own thread waits."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock

    def sleep(self, seconds: float, *, capped: bool = False) -> None:
        """Wait as the clock does."""
        if seconds > 0 and isinstance(self._clock, VirtualClock) and not self._clock.is_mine():
            self._clock.note(NOTE)
        self._clock.sleep(seconds, capped=capped)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._clock, name)
