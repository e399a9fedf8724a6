"""Why a rule that had to fire did not: told from the calls of the run, for the sentence that says so.

Knows the order in which a point is decided (`decide/keyed.py`) as far as it leaves traces, and no kind of fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from squall.call import MODEL_TARGETS, Target
from squall.decide import Rule, When
from squall.errors import ordinal
from squall.faults import Plan
from squall.interpose import Interposer
from squall.runs.sentences import first, length, never, subject, times, value
from squall.trace import Trace
from squall.trace.kinds import Attempt, Faulted, ModelCall, ToolCall, ToolResult

SHOWN = 3  # values of an argument that a sentence shows
TOO_MANY = 429
VERBS = {"tool": "called", "session": "asked", "event": "emitted"}
NO_AGES: Mapping[int, float | None] = {}
AT_MODELS = {target.name: target for target in MODEL_TARGETS.values()}


class Arrival(NamedTuple):
    """A call of a tool, or a request to a model, as rules look at it. What has one `lane` is counted together."""

    call: int
    target: str
    scope: str
    args: Any
    lane: str


def told(
    rule_id: int, plan: Plan, trace: Trace, interposer: Interposer, spared: Mapping[int, str] | None = None
) -> str:
    """The rule for people, and why it did not fire as far as the trace tells: where nothing is recorded, the rule.

    `spared` says by rule why one that was reached on the model wire changed nothing.
    """
    rule = plan.rule(rule_id)
    reason = why(rule, plan, trace, interposer, spared or {}) if len(trace) else None
    return plan.sentence(rule_id) + (f": {reason}" if reason else "")


def why(rule: Rule, plan: Plan, trace: Trace, interposer: Interposer, spared: Mapping[int, str]) -> str | None:
    """The reason as a clause; None where the trace does not tell."""
    events = [event for _, event in trace]
    faults = [event for event in events if isinstance(event, Faulted)]
    if reached := sum(fault.rule == rule.id for fault in faults):
        reason = f": {spared[rule.id]}" if rule.id in spared else ""
        return f"it was reached {times(reached)}, and could change nothing{reason}"
    wire = plan.bound[rule.id].kind.wire
    if wire == "model":
        return _beside_requests(rule, list(_requests(rule, events)))
    if wire != "tool":
        if sum(isinstance(event, ToolCall) for event in events) > interposer.calls:
            return None  # some were made in another process, and what happened beside them is not counted here
        return _beside_calls(rule, VERBS[wire], sum(map(interposer.points, rule.targets)))
    results = {event.call: event for event in events if isinstance(event, ToolResult)}
    by_call = {fault.call: fault for fault in faults}
    calls = [
        Arrival(event.call, event.target, event.scope, event.args, event.target)
        for event in events
        if isinstance(event, ToolCall)
        and event.target in rule.targets
        and (event.call in by_call or not _found_no_tool(results.get(event.call)))
    ]
    if not calls:
        return never(rule, "called")
    targets = {each.target.name: each.target for each in interposer.operations.values()}
    head = f"{subject(rule)} called {times(len(calls))}"
    if unmet := _unmet(rule, calls, targets, interposer.ages):
        return f"{head}, {unmet}"
    met = [call for call in calls if _meets(rule, call, targets, interposer.ages)]
    if not met:
        return None  # its ages are those of another process
    apart = "at one operation" if len(rule.targets) > 1 else "in one scope"
    return _too_few(rule, head, calls, met, apart) or _taken(rule, met, by_call, results, plan)


def _requests(rule: Rule, events: Sequence[object]) -> Iterator[Arrival]:
    """The requests to models at a rule's targets, tries and all."""
    asked = {event.call: event for event in events if isinstance(event, ModelCall)}
    for event in events:
        call = asked.get(event.call) if isinstance(event, Attempt) else None
        if isinstance(event, Attempt) and call is not None and event.target in rule.targets:
            args = {"model": call.model, "stream": call.stream}
            yield Arrival(event.call, event.target, event.scope, args, f"{event.target}:{call.model}")


def _beside_requests(rule: Rule, requests: Sequence[Arrival]) -> str | None:
    """Why a rule was not reached by any of the requests to models."""
    named = [each for each in requests if not rule.models or each.args["model"] in rule.models]
    if not named:
        others = f" ({_came('model', requests)})" if requests else ""
        return never(rule, "asked") + others
    head = f"{subject(rule)} asked {times(len(named))}"
    named = [each for each in named if each.args["model"] not in rule.other_than]
    if not named:
        return f"{head}, only for models that have rules of their own"
    if unmet := _unmet(rule, named, AT_MODELS, NO_AGES):
        return f"{head}, {unmet}"
    met = [each for each in named if _meets(rule, each, AT_MODELS, NO_AGES)]
    return _too_few(rule, head, named, met, "of one model in one scope") if met else None


def _beside_calls(rule: Rule, verb: str, number: int) -> str | None:
    if not number:
        return never(rule, verb)
    head = f"{subject(rule)} {verb} {times(number)}"
    if rule.when is not None or rule.scope is not None:
        return f"{head}, and not often enough as the rule asks"
    return f"{head}, and the rule waits for the {ordinal(first(rule))}" if number < first(rule) else None


def _unmet(
    rule: Rule, calls: Sequence[Arrival], targets: Mapping[str, Target], ages: Mapping[int, float | None]
) -> str | None:
    """What none of the calls was like."""
    if rule.scope is not None:
        calls = [call for call in calls if call.scope == rule.scope]
        if not calls:
            return f"never in the scope {rule.scope!r}"
    when = rule.when or When()
    for name in when.args:
        if not any(_has(when, name, call, targets) for call in calls):
            wanted = " or ".join(map(value, when.args[name]))
            return f"never with {name}={wanted} ({_came(name, calls)})"
    calls = [call for call in calls if all(_has(when, name, call, targets) for name in when.args)]
    if not calls:
        return f"never with {' and '.join(when.args)} as the rule asks at once"
    return _unmet_age(when, [ages[call.call] for call in calls if call.call in ages])


def _unmet_age(when: When, ages: Sequence[float | None]) -> str | None:
    if not ages or any(map(when.allows_age, ages)):
        return None
    known = [age for age in ages if age is not None]
    if not known:
        return "never for a record that has an age"
    if when.newer_than is not None and min(known) >= when.newer_than:
        return f"never for a record newer than {length(when.newer_than)} (the youngest was {length(min(known))} old)"
    if when.older_than is not None and max(known) < when.older_than:
        return f"never for a record older than {length(when.older_than)} (the oldest was {length(max(known))} old)"
    return "never for a record as old as the rule asks"


def _too_few(rule: Rule, head: str, calls: Sequence[Arrival], met: Sequence[Arrival], apart: str) -> str | None:
    groups = _groups(met)
    most = max(map(len, groups))
    if most >= first(rule):
        return None
    these = "" if len(met) == len(calls) else f", {len(met)} of them as the rule asks"
    if len(groups) > 1:
        these += f", at most {most} of them {apart}"
    return f"{head}{these}, and the rule waits for the {ordinal(first(rule))}"


def _taken(
    rule: Rule,
    met: Sequence[Arrival],
    faults: Mapping[int, Faulted],
    results: Mapping[int, ToolResult],
    plan: Plan,
) -> str | None:
    """Who came first at the calls that the rule chose."""
    takers: dict[str, None] = {}
    for group in _groups(met):
        for call in (call for number, call in enumerate(group, start=1) if rule.hits(number)):
            if fault := faults.get(call.call):
                takers[f"{fault.fault} ({plan.where.get(fault.rule, f'rule {fault.rule}')})"] = None
            elif (result := results.get(call.call)) and result.status == TOO_MANY:
                takers["a rate limit"] = None
    return f"{' and '.join(takers)} came first" if takers else None


def _groups(calls: Sequence[Arrival]) -> list[list[Arrival]]:
    """The calls that are counted together, in order of arrival."""
    groups: dict[tuple[str, str], list[Arrival]] = {}
    for call in calls:
        groups.setdefault((call.lane, call.scope), []).append(call)
    return list(groups.values())


def _meets(rule: Rule, call: Arrival, targets: Mapping[str, Target], ages: Mapping[int, float | None]) -> bool:
    if rule.scope not in (None, call.scope):
        return False
    when = rule.when
    return when is None or (
        all(_has(when, name, call, targets) for name in when.args) and when.allows_age(ages.get(call.call))
    )


def _has(when: When, name: str, call: Arrival, targets: Mapping[str, Target]) -> bool:
    return when.allows(name, _args(call), targets[call.target].schemas)


def _args(call: Arrival) -> Mapping[str, Any]:
    return call.args if isinstance(call.args, Mapping) else {}


def _found_no_tool(result: ToolResult | None) -> bool:
    return result is not None and result.form == "unknown_tool"


def _came(name: str, calls: Sequence[Arrival]) -> str:
    """How an argument came: `it came as '1', '2', … or was left out`."""
    values = list(dict.fromkeys(value(_args(call)[name]) for call in calls if name in _args(call)))
    ways = [f"came as {', '.join(values[:SHOWN])}{', …' if values[SHOWN:] else ''}"] if values else []
    if any(name not in _args(call) for call in calls):
        ways.append("was left out")
    return f"it {' or '.join(ways)}"
