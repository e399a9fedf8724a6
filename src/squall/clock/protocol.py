"""What every clock of a run answers to. Knows neither loops nor patches."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, Protocol

from squall.clock.timers import Timer

START = datetime(2025, 6, 1, tzinfo=UTC)
LIMIT = 3600.0
WALL_CAP = 2.0


class Clock(Protocol):
    """The time of one run.

    `limit` is how many seconds the run may spend waiting (None: for ever); `wall_cap` bounds, in real seconds, a wait
    that nobody stated in seconds and that cannot be virtual.
    """

    mode: Literal["virtual", "wall"]
    wall_cap: float
    limit: float | None
    notes: list[str]
    """Sentences on where time was not what the run asked for, each once."""
    limit_reached: str | None
    """Why a wait ended at the limit; kept though the agent may have swallowed what was raised."""
    swallowed: int
    """How often the limit has been raised."""

    def now(self) -> datetime:
        """The time of day in the run, in UTC."""

    def time(self) -> float:
        """`now()` in seconds since 1970."""

    def elapsed(self) -> float:
        """Seconds since the run began."""

    def advance(self, amount: float | timedelta) -> None:
        """Move the clock on by seconds or a timedelta, at once. Does not count against the limit."""

    def set(self, when: datetime) -> None:
        """Move the clock on to a later moment (naive: UTC), at once. Does not count against the limit."""

    def sleep(self, seconds: float, *, capped: bool = False) -> None:
        """Wait. `capped`: nobody stated how long, so that a wait for real is bounded by `wall_cap`."""

    async def asleep(self, seconds: float, *, capped: bool = False) -> None:
        """Wait in a coroutine."""

    def bounded(self, seconds: float) -> float:
        """How long a wait of so many seconds lasts here that nobody stated: for real it is cut to `wall_cap`."""

    def call_at(self, elapsed: float, fn: Callable[[], Any]) -> Timer:
        """Call `fn` when `elapsed` seconds of the run have gone."""

    def pending(self) -> tuple[Timer, ...]:
        """The timers still to come, earliest first."""

    def in_charge(self) -> AbstractContextManager[Clock]:
        """While the context lives, the run is on this clock."""
