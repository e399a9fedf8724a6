"""The fault plan of a scenario over a world, a model, or both: the rules of an ordinary plan, each with its place.

Plans of scenarios with steps are read in `stepped`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from squall.call import Target
from squall.documents import Document
from squall.errors import Position, Problem, UsageError
from squall.faults import Plan, parse_plan
from squall.faults.plan import DEFAULT_WALL_CAP, Limits, plan_of
from squall.runs.scenario.spec import FaultSpec
from squall.runs.scenario.stepped import OF_STEPS, step_plan
from squall.runs.scenario.targets import asks_target, call_target, memory_target, place_of

__all__ = ["asks_target", "call_target", "memory_target", "place_of", "step_plan", "wire_plan"]
Loc = tuple[str | int, ...]
Targets = tuple[Target, ...]


def wire_plan(
    faults: Sequence[FaultSpec],
    possible: Sequence[Targets],
    document: Document,
    limits: Limits,
    *,
    world: bool,
    provider: bool,
    skip: Collection[int] = (),
) -> Plan:
    """The plan of a scenario with a world, a provider, or both. Raises UsageError with every problem.

    `possible` are the targets of its world; of a world that is wrong, those that it may be meant to have. Faults in
    `skip` could not be read, and are left out.
    """
    problems = [
        Problem(
            f"{key!r} counts steps, and there are none",
            document.at(("faults", number, key), key=True),
            hint="Say where by target, and when by nth and times.",
        )
        for number, fault in enumerate(faults)
        for key in sorted(OF_STEPS & fault.model_fields_set)
    ]
    numbers = [number for number in range(len(faults)) if number not in skip]
    if not problems:
        problems += _wrong_rules(numbers, possible, document, limits, world=world, provider=provider)
    if problems:
        raise UsageError(problems)
    plan = parse_plan(_Rules(numbers, document), possible[0])
    return plan_of(plan.rules, plan.bound, limits=limits, wall_cap=DEFAULT_WALL_CAP, where=plan.where)


def _wrong_rules(
    numbers: Sequence[int],
    possible: Sequence[Targets],
    document: Document,
    limits: Limits,
    *,
    world: bool,
    provider: bool,
) -> Iterator[Problem]:
    found = [_wrong_with(numbers, targets, document) for targets in possible]
    certain = [each for each in found[0] if all(each in others for others in found)]
    yield from certain if all(found) else ()
    for number in numbers:
        yield from _out_of_reach(number, document, limits)
        if not any(found):
            yield from _at_nobody(number, possible[0], document, world=world, provider=provider)


def _wrong_with(numbers: Sequence[int], targets: Targets, document: Document) -> tuple[Problem, ...]:
    try:
        parse_plan(_Rules(numbers, document), targets)
    except UsageError as error:
        return error.problems
    return ()


def _out_of_reach(number: int, document: Document, limits: Limits) -> Iterator[Problem]:
    """A rule that waits for a call which no run makes."""
    rule = document.data["faults"][number]
    for key in ("nth", "every"):
        at = rule.get(key)
        if isinstance(at, int) and at > limits.calls:
            why = f"it waits for call {at}, and limits.steps ends the run after {limits.calls}"
            where = document.at(("faults", number, key))
            yield Problem(f"{rule['kind']} could never fire: {why}", where, hint=f"Lower {key}, or raise limits.steps.")


def _at_nobody(number: int, targets: Targets, document: Document, *, world: bool, provider: bool) -> Iterator[Problem]:
    """A rule at a wire that the scenario does not have."""
    plan = parse_plan(_Rules([number], document), targets)
    kind = document.data["faults"][number]["kind"]
    at = document.at(("faults", number, "target"))
    if not world and (plan.on_trust or plan.of_wire("tool").described):
        where = ", ".join(plan.on_trust) or "that target"
        hint = 'Name a world: world = "world.yaml"; the model\'s targets are model.chat, model.responses, model.*, …'
        yield Problem(
            f"{kind} could never fire: {where} is no target of the model, and there is no world", at, None, hint
        )
    model = plan.of_wire("model").rules
    if not provider and (model.faults or model.latencies or model.limits):
        hint = 'Name what the model says: provider = "script.toml".'
        yield Problem(f"{kind} could never fire: it is at the model, and there is no provider", at, hint=hint)


class _Rules:
    """Some faults of a scenario as the rules of a plan, each with its place."""

    path = None

    def __init__(self, numbers: Sequence[int], document: Document) -> None:
        self.name, self._document, self._numbers = document.name, document, numbers
        self.data: list[Any] = [dict(document.data["faults"][number]) for number in numbers]

    def at(self, loc: Loc, *, key: bool = False) -> Position:
        """Where a part of a rule stands in the file."""
        if not loc:
            return self._document.at(("faults",), key=key)
        return self._document.at(("faults", self._numbers[int(loc[0])], *loc[1:]), key=key)
