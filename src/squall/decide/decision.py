"""The recorded outcome at a point, and who decides.

Knows what a decider may look at, and neither how one decides nor what comes of it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec

from squall.call import Target
from squall.decide.point import Point
from squall.decide.rule import Rule


class Decision(msgspec.Struct, frozen=True):
    """What happens at one point.

    `latency` is in seconds; `rule` the fault that is to happen, if any; `drawn` the uniform number where one was drawn;
    `retry_after` is set, in seconds, where a rate limit refuses the call.
    """

    point: Point
    latency: float = 0.0
    rule: Rule | None = None
    drawn: float | None = None
    retry_after: float | None = None


class Situation(msgspec.Struct, frozen=True):
    """What a decider may look at: the call's arguments, the time (seconds since the run began) and a record's age.

    `age` is called with the latency that was decided and gives seconds, or None where no record is addressed. `lane`
    names what counters are kept for within the scope, where that is narrower than the target; empty: the target.
    """

    target: Target
    point: Point
    args: Mapping[str, Any]
    elapsed: float
    age: Callable[[float], float | None]
    lane: str = ""


class Decider(Protocol):
    """Decides at each point. Must be a pure function of its own state and the arrivals it has seen."""

    def decide(self, situation: Situation) -> Decision:
        """The decision at one point; called once per point, in order of arrival. Raises nothing."""
        ...


class Calm:
    """The decider under which nothing ever happens."""

    def decide(self, situation: Situation) -> Decision:
        """No latency and no fault."""
        return Decision(situation.point)
