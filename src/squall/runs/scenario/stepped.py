"""The fault plan of a scenario with steps: what goes wrong at which attempt at which step. Knows no world."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from squall.call import Outcome, Target
from squall.decide import Rule, Rules
from squall.documents import Document, validate
from squall.errors import Position, Problem, UsageError, nearest, shown
from squall.faults import Bound, Kind, Plan
from squall.faults.file import RuleSpec
from squall.faults.kinds import step as step_kinds
from squall.faults.plan import DEFAULT_WALL_CAP, Limits, plan_of
from squall.faults.registry import ALIASES, kind_named, names, nearest_name, range_of
from squall.runs.scenario.spec import FaultSpec, StepSpec
from squall.runs.scenario.targets import asks_target, call_target, memory_target, place_of

STEP_KINDS: Mapping[str, Kind] = {kind.name: kind for kind in step_kinds.TABLE}
ELSEWHERE = frozenset({"stale_read", "tool_removed"})
"""Kinds of tools that need a world."""
BESIDE = frozenset({"stale_memory", "repeated_call", "duplicate_task"})
"""Kinds of steps that happen beside a call, and not at one: they have no phase."""
OF_STEPS = frozenset({"step", "occurrence", "repeat"})
"""Keys of a fault that count steps."""
OF_RULES = {"nth": "occurrence", "times": "repeat", "first": "repeat"}
"""How a rule of a plan would say it, and how a fault at a step does."""
Loc = tuple[str | int, ...]


def possible_kinds() -> list[str]:
    """The names of the kinds that can be at a step, the classic ones first."""
    tools = (name for name in names() if name not in ELSEWHERE and _is_of_tools(name))
    return list(dict.fromkeys((*ALIASES, *STEP_KINDS, *tools)))


def step_plan(faults: Sequence[FaultSpec], steps: Sequence[StepSpec], document: Document, limits: Limits) -> Plan:
    """The plan of a scenario with steps. Raises UsageError with every problem."""
    rules: list[Rule] = []
    bound: dict[int, Bound] = {}
    problems: list[Problem] = []
    for number, fault in enumerate(faults):
        if not fault.kind:  # it could not be read
            continue
        reading = _Fault(number, fault, steps, document, limits)
        made = reading.rule()
        problems += reading.problems
        if made is not None and not reading.problems:
            rules.append(made[0])
            bound[number] = made[1]
    problems += _taken_twice(rules, document)
    if problems:
        raise UsageError(problems)
    where = {number: str(document.at(("faults", number))) for number in bound}
    return plan_of(Rules(tuple(rules)), bound, limits=limits, wall_cap=DEFAULT_WALL_CAP, where=where)


class _Fault:
    """Reads one fault that is at a step, and gathers what is wrong with it."""

    def __init__(
        self, number: int, fault: FaultSpec, steps: Sequence[StepSpec], document: Document, limits: Limits
    ) -> None:
        self._number, self._fault, self._steps, self._document = number, fault, steps, document
        self._limits = limits
        self.problems: list[Problem] = []

    def rule(self) -> tuple[Rule, Bound] | None:
        """The fault as a rule, with its kind and parameters; None where there is no such kind."""
        fault = self._fault
        name, preset = ALIASES.get(fault.kind, (fault.kind, {}))
        kind = STEP_KINDS.get(name) or kind_named(name)
        if kind is None or kind.wire != "tool" or kind.name in ELSEWHERE:
            self._no_such_kind(kind)
            return None
        target = self._target(kind)
        params = self._params(kind, {**preset, **(fault.model_extra or {})})
        self._check_phase(kind)
        if fault.occurrence > self._limits.calls:
            why = f"it waits for attempt {fault.occurrence}, and limits.steps ends the run after {self._limits.calls}"
            self._say(f"{fault.kind} could never fire: {why}", "occurrence", hint="Lower it, or raise limits.steps.")
        if target is None or params is None:
            return None
        self._check_fit(kind, params, target)
        stated = params.model_dump(mode="json", include=params.model_fields_set)
        rule = Rule(
            id=self._number,
            kind=kind.name,
            targets=(target.name,),
            phase=fault.phase or kind.phase,
            params=stated,
            nth=fault.occurrence,
            times=fault.repeat,
        )
        return rule, Bound(kind, params)

    def _no_such_kind(self, kind: Kind | None) -> None:
        name = self._fault.kind
        listed = f"Kinds: {', '.join(possible_kinds())}."
        if kind is not None:
            self._say(f"{name} needs a world to happen in, and steps have none", "kind", hint=listed)
        elif kind_named(ALIASES.get(name, (name,))[0], "model"):
            why = f"{name} is a fault of a model, and a scenario with steps has none"
            self._say(why, "kind", hint='Take another kind, or name a world and a provider = "script.toml".')
        else:
            near = None if range_of(name) else nearest_name(name, possible_kinds())
            self._say(f"unknown kind of fault {name!r}", "kind", near, range_of(name) or listed)

    def _target(self, kind: Kind) -> Target | None:
        fault, last = self._fault, len(self._steps) - 1
        if fault.target is not None:
            hint = "Say which step: step = 0."
            self._say("in a scenario with steps, faults are at steps", "target", hint=hint, key=True)
        if kind.name == "duplicate_task":
            if fault.step is not None:
                self._say("duplicate_task is about the whole task", "step", hint="Leave step out.", key=True)
            return asks_target(None)
        if fault.step is None:
            if "step" not in self._data and fault.target is None and not nearest("step", fault.model_extra or ()):
                self._say(f"{fault.kind} is at no step", "kind", hint=f"Add step = 0; the last one is {last}.")
            return None
        if fault.step > last:
            hint = f"Steps are numbered from 0; the last one is {last}."
            self._say(f"there is no step {fault.step}", "step", str(last), hint)
            return None
        if kind.name == "stale_memory":
            return memory_target(fault.step)
        if kind.name == "repeated_call":
            return asks_target(fault.step)
        return call_target(fault.step, self._steps[fault.step])

    def _params(self, kind: Kind, given: Mapping[str, Any]) -> Any:
        """The parameters of a fault, or None where they do not hold."""
        known = [name for name in kind.parameters if name != "late_by" or kind.name not in BESIDE]
        for name in given:
            if name not in known:
                self._unknown(name, known)
        try:
            part = _Part({name: value for name, value in given.items() if name in known}, self._document, self._number)
            return validate(kind.params, part)
        except UsageError as error:
            self.problems += error.problems
            return None

    def _unknown(self, name: str, known: Sequence[str]) -> None:
        around = [each for each in FaultSpec.model_fields if each != "target"]
        near = OF_RULES.get(name) or nearest(name, [*known, *around])
        takes = f"{self._fault.kind} takes {', '.join(known) or 'no parameters'}; every fault {', '.join(around)}."
        if name in RuleSpec.model_fields and near is None:
            self._say(f"{name!r} is for calls of a world, and this is a step", name, hint=takes, key=True)
        else:
            self._say(f"unknown key {name!r}", name, near, takes, key=True)

    def _check_phase(self, kind: Kind) -> None:
        phase = self._fault.phase
        if kind.name in BESIDE:
            if phase is not None:
                self._say(f"{kind.name} has no phase to choose", "phase", hint="Leave phase out.", key=True)
        elif "late_by" in (self._fault.model_extra or {}) and (phase or kind.phase) != "late":
            hint = 'Add phase = "late", or take it out.'
            self._say("late_by says nothing without phase: late", "late_by", hint=hint, key=True)

    def _check_fit(self, kind: Kind, params: Any, target: Target) -> None:
        """Whether it could ever fire at its step, whose result is known."""
        fault = self._fault
        if kind.name == "stale_memory":
            if "value" in params.model_fields_set and params.value == self._steps[fault.step or 0].result:
                hint = "Write an older value, or leave it out: one is made up then."
                self._say("what is remembered is what is true: that is no stale memory", "value", hint=hint)
            return
        if kind.name in BESIDE:
            return
        never = f"{fault.kind} could never fire"
        if target.access not in kind.access:
            why = f"step {fault.step} is a {target.access}, and it takes a {' or '.join(kind.access)}"
            self._say(f"{never}: {why}", "kind", hint="Take another step, or another kind.")
        elif unfit := kind.misfit(params, target):
            near = nearest(getattr(params, unfit.parameter), unfit.valid)
            self._say(f"{never}: {unfit.why}", unfit.parameter, near)
        elif (change := kind.act(params, lambda _name: 0.0, target).change) is not None:
            result = self._steps[fault.step or 0].result
            if change(Outcome("value", deepcopy(result))) is None:
                hint = "Give the step a longer result, or take another kind."
                self._say(f"{never}: the result of step {fault.step} is {shown(result)}", "kind", hint=hint)

    @property
    def _data(self) -> Any:
        return self._document.data["faults"][self._number]

    def _say(
        self, message: str, key_name: str, near: str | None = None, hint: str | None = None, *, key: bool = False
    ) -> None:
        at = self._document.at(("faults", self._number, key_name), key=key)
        self.problems.append(Problem(message, at, near, hint))


class _Part:
    """The parameters of one fault, with the places of the keys beside which they stand."""

    path = None

    def __init__(self, data: Mapping[str, Any], document: Document, number: int) -> None:
        self.data, self.name = dict(data), document.name
        self._document, self._number = document, number

    def at(self, loc: Loc, *, key: bool = False) -> Position:
        """Where a parameter stands in the file."""
        return self._document.at(("faults", self._number, *loc), key=key)


def _taken_twice(rules: Sequence[Rule], document: Document) -> Iterator[Problem]:
    """A second fault at one attempt, where only one can happen."""
    for place, rule in enumerate(rules):
        first, last = _attempts(rule)
        for other in rules[:place]:
            begins, ends = _attempts(other)
            both = max(first, begins)
            if rule.targets == other.targets and both <= min(last, ends):
                at = document.at(("faults", rule.id))
                before = f"{other.kind} ({document.at(('faults', other.id))})"
                hint = f"Let it begin later: occurrence = {ends + 1}; or take one away."
                yield Problem(f"attempt {both} at {place_of(rule.targets[0])} has {before} already", at, None, hint)
                break


def _attempts(rule: Rule) -> tuple[int, int]:
    first = rule.nth or 1
    return first, first + (rule.times or 1) - 1


def _is_of_tools(name: str) -> bool:
    kind = kind_named(name)
    return kind is None or kind.wire == "tool"  # None: the name of a family
