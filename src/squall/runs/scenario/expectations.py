"""What must hold when a run has ended, and what does not: a sentence for each, and a name that does not vary.

Judges the answer, the steps, the world's end state and the trace. Changes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from squall.canonical import dumps
from squall.errors import said, shown
from squall.runs.scenario.properties import asked, function_named
from squall.runs.scenario.spec import ExpectSpec, PropertySpec, StepSpec
from squall.runs.stepping import KEY
from squall.worlds import World

if TYPE_CHECKING:
    from squall.runs.scenario.loading import Scenario
    from squall.runs.stepping import Steps
    from squall.runs.strategies.strategy import Result
    from squall.trace import Trace


MOST = 3
"""Arguments that are told to be other ones."""


class Unmet(NamedTuple):
    """What does not hold, in a sentence. `name` is the same in every run in which the same does not hold."""

    name: str
    sentence: str


def of_answer(scenario: Scenario, result: Result, steps: Steps | None) -> Iterator[Unmet]:
    """What does not hold of what the strategy returned: its status, its answer, what it claims to have done."""
    expect = scenario.spec.expect
    if result.status != expect.status:
        name = f"the strategy says {result.status}, and {expect.status} is expected"
        yield Unmet(name, name + _why(result))
    yield from _texts(expect, result.answer)
    if steps is None or not expect.steps:
        return
    if expect.status != "completed" or result.status != "completed":
        return
    if isinstance(result.answer, list):
        wanted = [each.result for each in scenario.spec.steps]
        if len(result.answer) != len(wanted):
            many = f"the answer has {len(result.answer)} results, and there are {len(wanted)} steps"
            yield Unmet("the answer has too many results, or too few", many)
        for place, (given, true) in enumerate(zip(result.answer, wanted, strict=False)):
            if given != true:
                name = f"the answer has a wrong result of step {place}, {scenario.spec.steps[place].tool}"
                yield Unmet(name, f"{name}: {shown(given)}, and it was {shown(true)}")
    for place, (step, times) in enumerate(zip(scenario.spec.steps, steps.done, strict=True)):
        if step.writes and not times:
            name = f"step {place}, {step.tool}, never happened"
            yield Unmet(name, name + _refused(steps.refused.get(step.tool, ()), step))


def of_steps(scenario: Scenario, steps: Steps) -> Iterator[Unmet]:
    """Which writes among the steps happened more than once."""
    if not scenario.spec.expect.steps:
        return
    for place, (step, times) in enumerate(zip(scenario.spec.steps, steps.done, strict=True)):
        if times > 1:
            name = f"step {place}, {step.tool}, happened"
            yield Unmet(f"{name} more than once", f"{name} {times} times")


def of_world(scenario: Scenario, world: World, seeded: Any) -> Iterator[Unmet]:
    """What does not hold of the world's end state."""
    for place, each in enumerate(scenario.spec.expect.properties):
        try:
            if isinstance(each, str):
                function_named(each, scenario.document, scenario.folder, ("expect", "properties", place))(world)
            else:
                asked(each, world, seeded)
        except AssertionError as error:
            yield Unmet(_named(each), said(error) or f"{_named(each)} does not hold")


def of_trace(scenario: Scenario, trace: Trace) -> Iterator[Unmet]:
    """What the checks and the policy have against the run."""
    expect = scenario.spec.expect
    if not expect.checks and scenario.policy is None:
        return
    from squall.checks.judge import judge  # scenarios without checks need none of it
    from squall.checks.options import Options
    from squall.checks.policy import load_policy
    from squall.checks.settings import Settings

    wanted = {*expect.checks, *(["policy"] if scenario.policy is not None else [])}
    options = Options() if scenario.policy is None else Options(policy=load_policy(scenario.policy))
    for verdict in judge(trace, Settings(only=tuple(sorted(wanted)), options=options)):
        if verdict.fired:
            yield Unmet(f"the check {verdict.check}", f"{verdict.check}: {verdict.reason}")
        elif verdict.verdict == "unknown":  # what nobody knows does not hold
            name = f"{verdict.check} cannot tell"
            yield Unmet(f"the check {name}", f"{name}: {verdict.reason}")


def _texts(expect: ExpectSpec, answer: Any) -> Iterator[Unmet]:
    wanted = [expect.answer_contains] if isinstance(expect.answer_contains, str) else expect.answer_contains
    if not wanted:
        return
    text = answer if isinstance(answer, str) else dumps(answer).decode()
    for each in wanted:
        if each.casefold() not in text.casefold():
            name = f"the answer does not say {shown(each)}"
            yield Unmet(name, f"{name}: {shown(text)}")


def _refused(calls: Sequence[Mapping[str, Any]], step: StepSpec) -> str:
    """That a step's tool was called with the arguments of no step, and which are other ones."""
    if not calls:
        return ""
    given, wanted = calls[-1], {name: value for name, value in step.arguments.items() if name != KEY}
    found = [f"{name} is missing" for name in wanted if name not in given]
    found += [f"{name} is none of its arguments" for name in sorted(given) if name not in wanted]
    found += [
        f"{name} is {shown(given[name])} and not {shown(value)}"
        for name, value in wanted.items()
        if name in given and given[name] != value
    ]
    times, last = ("once", "") if len(calls) == 1 else (f"{len(calls)} times", "the last time, ")
    more = ", …" if len(found) > MOST else ""
    return f": refused {times} for other arguments: {last}{', '.join(found[:MOST])}{more}"


def _why(result: Result) -> str:
    return f": {shown(result.answer)}" if result.status == "failed" and result.answer else ""


def _named(each: str | PropertySpec) -> str:
    """`at_most_once of refunds by order`, `no_orphans`, `worlds.audit.paid_once`."""
    if isinstance(each, str):
        return each
    by = ", ".join([each.by] if isinstance(each.by, str) else each.by or ([each.field] if each.field else []))
    return each.property + (f" of {each.table}" if each.table else "") + (f" by {by}" if by else "")
