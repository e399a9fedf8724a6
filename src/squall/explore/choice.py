"""One fault at one point, and a schedule: the faults of one run, in the order of its trace.

Knows kinds and phases by name only: what a fault does, and whether it can happen at a point, others say.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from squall.decide import Point
from squall.explore.calls import UNTOLD, Calls, place_in_words


class Choice(msgspec.Struct, frozen=True):
    """One fault at one point. `params` are pairs of a name and a JSON value, sorted by name."""

    point: Point
    kind: str
    phase: str
    params: tuple[tuple[str, Any], ...] = ()

    def __hash__(self) -> int:
        return hash((self.point, self.kind, self.phase))  # parameters may be lists

    def __str__(self) -> str:
        return self.in_words()

    def in_words(self, calls: Calls = UNTOLD) -> str:
        """`timeout (after) at payments.issue_refund`; by `calls` it is told which call that is."""
        params = "".join(f", {name} {value}" for name, value in self.params)
        return f"{self.kind} ({self.phase}{params}) at {place_in_words(self.point, calls)}"


Schedule = tuple[Choice, ...]
Follows = Callable[[Choice, Choice], bool]
"""Whether the second of two faults at one point can happen after the first, in the same run."""
CALM: Schedule = ()


def one_at_a_point(_first: Choice, _then: Choice) -> bool:
    """For points where there is one fault at most."""
    return False


def in_words(schedule: Schedule, calls: Calls = UNTOLD) -> str:
    """A schedule for people: `timeout (after) at payments.issue_refund, then empty_result (before) at …`."""
    return ", then ".join(choice.in_words(calls) for choice in schedule) if schedule else "no fault"
