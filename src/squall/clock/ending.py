"""Says that a run is over, as often as it is asked; and tells the person at the keyboard where nobody listens.

A bare `except:` in a loop swallows every limit, and Ctrl-C too: no exception can end such a loop. What can be done is
to say so. Knows no clock but by its `limit_reached` and `swallowed`.
"""

from __future__ import annotations

from typing import Protocol

from squall.clock import real
from squall.errors import LimitReached

PATIENCE = 1000


class Ended(Protocol):
    """A run's clock, as it is at the limit."""

    limit_reached: str | None
    swallowed: int


def limit(clock: Ended, why: str) -> LimitReached:
    """The exception that ends the run because of `why`, or of what has ended it before. Raise it."""
    why = clock.limit_reached = clock.limit_reached or why
    clock.swallowed += 1
    if clock.swallowed == PATIENCE:
        real.tell(
            f"squall: the agent has swallowed the run's limit {PATIENCE:,} times and goes on: {why}. A bare `except:` "
            "in a loop catches Ctrl-C as well: end this process by other means, and write `except Exception:` there."
        )
    return LimitReached(why)
