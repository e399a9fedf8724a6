"""The fault plan of a scenario: rules over its steps, or those of an ordinary plan over a world and a model.

The targets of a step are its call (`step0.issue_refund`), the agent's memory of it (`memory.step0`) and what asks for
it (`asks.step0`); of the whole task `asks.task`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NoReturn

from squall.call import Target
from squall.decide import Rule, Rules
from squall.documents import Document, validate
from squall.errors import Position, Problem, UsageError, nearest
from squall.faults import Bound, Kind, Plan, parse_plan
from squall.faults.kinds import step as step_kinds
from squall.faults.plan import DEFAULT_WALL_CAP, Limits, plan_of
from squall.faults.registry import ALIASES, kind_named, names
from squall.runs.scenario.spec import FaultSpec, StepSpec

STEP_KINDS: Mapping[str, Kind] = {kind.name: kind for kind in step_kinds.TABLE}
ELSEWHERE = frozenset({"stale_read", "tool_removed"})
"""Kinds of tools that need a world."""
OF_STEPS = frozenset({"step", "occurrence", "repeat"})
"""Keys of a fault that count steps."""


def call_target(index: int, step: StepSpec) -> Target:
    """What a call of the step addresses."""
    name, fields = f"step{index}.{step.tool}", tuple(step.arguments)
    return Target(name, step.tool, access="write" if step.writes else "read", fields=fields)


def memory_target(index: int) -> Target:
    """The agent's memory of a step."""
    return Target(f"memory.step{index}", "")


def asks_target(index: int | None) -> Target:
    """What asks for a step, or for the whole task."""
    return Target("asks.task" if index is None else f"asks.step{index}", "")


def place_of(target: str) -> str:
    """A target of a scenario's own in words: `step 0, issue_refund`."""
    head, _, tail = target.partition(".")
    if head.startswith("step") and head[4:].isdigit():
        return f"step {head[4:]}, {tail}"
    if head in ("memory", "asks"):
        return f"step {tail[4:]}" if tail.startswith("step") else "the task"
    return target


def step_plan(faults: Sequence[FaultSpec], steps: Sequence[StepSpec], document: Document, limits: Limits) -> Plan:
    """The plan of a scenario with steps. Raises UsageError with every problem."""
    reading = _Steps(steps, document)
    rules, bound, where = [], {}, {}
    for number, fault in enumerate(faults):
        try:
            rules.append(reading.rule(number, fault))
        except UsageError as error:
            reading.problems += error.problems
        else:
            bound[number] = reading.bound
            where[number] = str(document.at(("faults", number)))
    if reading.problems:
        raise UsageError(reading.problems)
    return plan_of(Rules(tuple(rules)), bound, limits=limits, wall_cap=DEFAULT_WALL_CAP, where=where)


class _Steps:
    """Reads faults that are at steps."""

    def __init__(self, steps: Sequence[StepSpec], document: Document) -> None:
        self._steps, self._document = steps, document
        self.problems: list[Problem] = []
        self.bound: Bound

    def rule(self, number: int, fault: FaultSpec) -> Rule:
        """The fault as a rule; its kind and parameters are in `bound` then."""
        name, preset = ALIASES.get(fault.kind, (fault.kind, {}))
        kind = self._kind(name, number)
        targets = self._targets(kind, number, fault)
        given = {**preset, **(fault.model_extra or {})}
        params = validate(kind.params, _Part(given, self._document, number, tuple(kind.parameters)))
        if fault.phase is not None and kind.name in STEP_KINDS:
            self._fail(number, "phase", f"{kind.name} has no phase to choose", None, "Leave phase out.")
        self.bound = Bound(kind, params)
        stated = {field: getattr(params, field) for field in sorted(params.model_fields_set)}
        return Rule(
            id=number,
            kind=kind.name,
            targets=targets,
            phase=fault.phase or kind.phase,
            params=stated,
            nth=fault.occurrence,
            times=fault.repeat,
        )

    def _kind(self, name: str, number: int) -> Kind:
        found = STEP_KINDS.get(name) or kind_named(name)
        if found is None or found.wire != "tool" or found.name in ELSEWHERE:
            possible = [*STEP_KINDS, *ALIASES, *(each for each in names() if each not in ELSEWHERE)]
            why = f"unknown kind of fault {name!r}" if found is None else f"{name} needs a world to happen in"
            self._fail(number, "kind", why, nearest(name, possible), f"Kinds: {', '.join(possible)}.")
        return found

    def _targets(self, kind: Kind, number: int, fault: FaultSpec) -> tuple[str, ...]:
        if fault.target is not None:
            hint = "Say which step: step = 0."
            self._fail(number, "target", "in a scenario with steps, faults are at steps", None, hint)
        if kind.name == "duplicate_task":
            if fault.step is not None:
                self._fail(number, "step", "duplicate_task is about the whole task", None, "Leave step out.")
            return (asks_target(None).name,)
        if fault.step is None:
            raise UsageError(Problem(f"{kind.name} is at no step", self._at(number, "kind"), None, "Add step = 0."))
        if fault.step >= len(self._steps):
            last = len(self._steps) - 1
            hint = f"Steps are numbered from 0; the last one is {last}."
            self._fail(number, "step", f"there is no step {fault.step}", str(last), hint)
        if kind.name == "stale_memory":
            return (memory_target(fault.step).name,)
        if kind.name == "repeated_call":
            return (asks_target(fault.step).name,)
        return (call_target(fault.step, self._steps[fault.step]).name,)

    def _at(self, number: int, key: str) -> Position:
        return self._document.at(("faults", number, key))

    def _fail(self, number: int, key: str, message: str, close: str | None, hint: str) -> NoReturn:
        raise UsageError(Problem(message, self._at(number, key), close, hint))


class _Part:
    """The parameters of one fault, with the places of the keys beside which they stand."""

    def __init__(self, data: Mapping[str, Any], document: Document, number: int, names_: tuple[str, ...]) -> None:
        self.data, self._document, self._number, self.names = dict(data), document, number, names_
        self.path, self.name = document.path, document.name

    def at(self, loc: tuple[str | int, ...], *, key: bool = False) -> Position:
        return self._document.at(("faults", self._number, *loc), key=key)


def wire_plan(faults: Sequence[FaultSpec], targets: tuple[Target, ...], document: Document, limits: Limits) -> Plan:
    """The plan of a scenario with a world or a provider. Raises UsageError with every problem."""
    problems = [
        Problem(f"{key!r} counts steps, and there are none", document.at(("faults", number, key), key=True), None, hint)
        for number, fault in enumerate(faults)
        for key in sorted(OF_STEPS & fault.model_fields_set)
        for hint in ("Say where by target, and when by nth and times.",)
    ]
    if problems:
        raise UsageError(problems)
    plan = parse_plan(_Rules(faults, document), targets)
    rules, where = plan.rules, plan.where
    return plan_of(rules, plan.bound, limits=limits, wall_cap=plan.wall_cap, where=where, on_trust=plan.on_trust)


class _Rules:
    """The faults of a scenario as the rules of a plan, each with its place."""

    path = None

    def __init__(self, faults: Sequence[FaultSpec], document: Document) -> None:
        self.name, self._document = document.name, document
        self.data: list[Any] = [dict(document.data["faults"][number]) for number in range(len(faults))]

    def at(self, loc: tuple[str | int, ...], *, key: bool = False) -> Position:
        return self._document.at(("faults", *loc), key=key)


def kinds_of(plan: Plan) -> Iterator[str]:
    """The kinds of a plan's rules, each once."""
    yield from dict.fromkeys(rule.kind for rule in plan.rules.faults)
