"""Decides from a schedule: at each of its points its rule, and nowhere else. What explores and replays decides by this.

A point is met where it occurs exactly. A replay against code that has changed may also ask for less: the same arrival
at the same target, whatever the arguments. Which of the two it was is remembered. Knows no fault and no search.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import msgspec

from squall.decide.decision import Calm, Decider, Decision, Situation
from squall.decide.point import Point
from squall.decide.rule import Rule

NO_ARRIVALS: Mapping[Point, int] = {}

Call = tuple[str, str, str, str, int]
Place = tuple[str, str, int, int]


class Match(msgspec.Struct, frozen=True):
    """Where a point of the schedule was met: at `met`, the `arrival`th call of its target (from 1), and by what."""

    planned: Point
    met: Point
    arrival: int
    by: Literal["point", "arrival"]


class Scheduled:
    """The decider of one run of a schedule; each rule strikes once.

    `lenient` lets a rule whose point has not occurred strike at the call of the same wire, target and attempt that
    arrives as the same one: the number in `arrivals`, or else the point's `nth`. `otherwise` decides everything else:
    what it does at other points, and the latency at those of the schedule.
    """

    def __init__(
        self,
        rules: Mapping[Point, Rule],
        *,
        lenient: bool = False,
        arrivals: Mapping[Point, int] = NO_ARRIVALS,
        otherwise: Decider | None = None,
    ) -> None:
        self.matched: dict[Point, Match] = {}
        self._rules = dict(rules)
        self.otherwise = otherwise or Calm()
        self._by_arrival: dict[Place, Point] = {}
        if lenient:
            for point in self._rules:
                self._by_arrival.setdefault(_place(point, arrivals.get(point, point.nth)), point)
        self._arrived: dict[tuple[str, str], int] = {}
        self._calls: dict[Call, int] = {}

    @property
    def unmatched(self) -> tuple[Point, ...]:
        """The points of the schedule that have not been met, in its order."""
        return tuple(point for point in self._rules if point not in self.matched)

    def decide(self, situation: Situation) -> Decision:
        """The rule of this point, if it has one."""
        decision = self.otherwise.decide(situation)
        planned = self._planned(situation.point)
        if planned is None:
            return decision
        return Decision(situation.point, decision.latency, self._rules[planned])

    def _planned(self, point: Point) -> Point | None:
        arrival = self._arrival(point)
        exact = point in self._rules and point not in self.matched
        planned = point if exact else self._by_arrival.get(_place(point, arrival)) if self._by_arrival else None
        if planned is None or planned in self.matched:
            return None
        self.matched[planned] = Match(planned, point, arrival, "point" if exact else "arrival")
        return planned

    def _arrival(self, point: Point) -> int:
        """As which of the calls of its target this one arrived; each of its attempts has the same number."""
        call = point.wire, point.scope, point.target, point.digest, point.nth
        if point.attempt == 1 or call not in self._calls:
            target = point.wire, point.target
            self._calls[call] = self._arrived[target] = self._arrived.get(target, 0) + 1
        return self._calls[call]


def _place(point: Point, arrival: int) -> Place:
    return point.wire, point.target, arrival, point.attempt
