"""A schedule as the weather of one run: a plan of its rules, and deciders that follow it point by point.

While one is in the air (`squall.runs.air`), the first run that begins takes it in place of its own plan.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from squall.decide import Calm, Decider, Point, Rule
from squall.decide.scheduled import Scheduled
from squall.explore import Choice, Schedule
from squall.faults import Bound, Plan
from squall.faults.at_model import SLOTS, Slot
from squall.faults.kinds import step
from squall.faults.plan import Described, Limits, plan_of_faults
from squall.faults.registry import kind_named

if TYPE_CHECKING:
    from squall.runs.environment import Environment

STEP_KINDS = {kind.name: kind for kind in step.TABLE}
PARTS = 4096
"""Choices that are remembered as parts of plans."""


class Weather:
    """The faults of one run. `lenient` lets a fault strike at another call that arrives as the same one at its target.

    `arrivals` are those numbers, by point. Made for one run, which is `run` from when it begins; `passed_over` counts
    others that have begun since, and go without it.
    """

    def __init__(
        self, schedule: Schedule = (), *, lenient: bool = False, arrivals: Mapping[Point, int] | None = None
    ) -> None:
        self.schedule = schedule
        self._lenient, self._arrivals = lenient, arrivals or {}
        self.deciders: list[Scheduled] = []
        self.taken = False
        self.passed_over = 0
        self.run: Environment | None = None
        self._of_slots: dict[Slot, Scheduled] = {}

    @cached_property
    def rules(self) -> tuple[Rule, ...]:
        """A rule for each fault, by its place in the schedule; each is expected to fire."""
        return tuple(part.rule for part in self._parts)

    def plan(self, limits: Limits) -> Plan:
        """The plan of the schedule, under a run's own limits."""
        bound = {place: part.bound for place, part in enumerate(self._parts)}
        return plan_of_faults(self.rules, bound, [part.described for part in self._parts], limits=limits)

    def decider(self) -> Scheduled:
        """Who decides at the points of tools."""
        return self._scheduled(self._of_slot(None))

    def of_slot(self, slot: Slot, otherwise: Decider | None) -> Scheduled:
        """Who decides in a slot of requests to models; `otherwise` decides where the schedule says nothing."""
        made = self._of_slots.get(slot)
        if made is None:
            made = self._of_slots[slot] = self._scheduled(self._of_slot(slot))
        made.otherwise = otherwise or Calm()
        return made

    def without(self, plan: Plan) -> Plan:
        """A plan but for the rules of this schedule: what the test itself has added."""
        return plan.but_for(frozenset(rule.id for rule in self.rules))

    def slots(self) -> tuple[Slot, ...]:
        """The slots of which the schedule says something."""
        named = {part.bound.kind.slot for part in self._parts}
        return tuple(slot for slot in SLOTS if slot in named)

    def offer(self) -> bool:
        """Whether a run that begins may take it: the first that asks does."""
        mine, self.taken = not self.taken, True
        self.passed_over += not mine
        return mine

    @cached_property
    def _parts(self) -> tuple[Part, ...]:
        return tuple(_part(place, choice, repr(choice.params)) for place, choice in enumerate(self.schedule))

    def _of_slot(self, slot: Slot | None) -> dict[Point, Rule]:
        return {c.point: p.rule for c, p in zip(self.schedule, self._parts, strict=True) if p.bound.kind.slot == slot}

    def _scheduled(self, rules: Mapping[Point, Rule]) -> Scheduled:
        made = Scheduled(rules, lenient=self._lenient, arrivals=self._arrivals)
        self.deciders.append(made)
        return made


class Part(NamedTuple):
    """What a choice is in a plan: the same in every run that has it at that place of its schedule."""

    rule: Rule
    bound: Bound
    described: Described


@lru_cache(PARTS)
def _part(place: int, choice: Choice, _params: str) -> Part:  # 1 equals 1.0, and is written otherwise
    rule = _rule(place, choice)
    return Part(rule, _bound(choice), Described.of(rule))


def _rule(place: int, choice: Choice) -> Rule:
    return Rule(
        id=place,
        kind=choice.kind,
        targets=(choice.point.target,),
        phase=choice.phase,
        params=dict(choice.params),
        nth=1,
    )


def _bound(choice: Choice) -> Bound:
    kind = (
        STEP_KINDS.get(choice.kind)
        if choice.point.wire == "tool" and choice.point.target.startswith(_OF_STEPS)
        else None
    )
    kind = kind or kind_named(choice.kind, "model" if choice.point.wire == "model" else "tool")
    if kind is None:
        raise LookupError(choice.kind)
    return Bound(kind, kind.params(**dict(choice.params)))


_OF_STEPS = ("step", "memory.", "asks.")
