"""Why a rule that had to fire did not: told from the calls of the run, for the sentence that says so.

Knows the order in which a point is decided (`decide/keyed.py`) as far as it leaves traces, and no kind of fault.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from squall.call import Target
from squall.decide import Rule, When
from squall.errors import shown
from squall.faults import Plan
from squall.interpose import Interposer
from squall.trace import Trace
from squall.trace.kinds import Faulted, ToolCall, ToolResult

SHOWN = 3  # values of an argument that a sentence shows
TOO_MANY = 429
VERBS = {"tool": "called", "session": "asked", "event": "emitted", "model": "called"}
UNITS = (("d", 86_400), ("h", 3_600), ("m", 60), ("s", 1))
TEENS = range(11, 14)


def told(rule_id: int, plan: Plan, trace: Trace, interposer: Interposer) -> str:
    """The rule for people, and why it did not fire as far as the trace tells: where nothing is recorded, the rule."""
    rule = plan.rules.faults[rule_id]
    reason = why(rule, plan, trace, interposer) if len(trace) else None
    return plan.sentence(rule_id) + (f": {reason}" if reason else "")


def why(rule: Rule, plan: Plan, trace: Trace, interposer: Interposer) -> str | None:
    """The reason as a clause; None where the trace does not tell."""
    events = [event for _, event in trace]
    faults = [event for event in events if isinstance(event, Faulted)]
    if reached := sum(fault.rule == rule.id for fault in faults):
        return f"it was reached {_times(reached)}, and could change nothing"
    wire = plan.bound[rule.id].kind.wire
    if wire != "tool":
        if sum(isinstance(event, ToolCall) for event in events) > interposer.calls:
            return None  # some were made in another process, and what happened beside them is not counted here
        return _beside_calls(rule, VERBS[wire], sum(map(interposer.points, rule.targets)))
    results = {event.call: event for event in events if isinstance(event, ToolResult)}
    by_call = {fault.call: fault for fault in faults}
    calls = [
        event
        for event in events
        if isinstance(event, ToolCall)
        and event.target in rule.targets
        and (event.call in by_call or not _found_no_tool(results.get(event.call)))
    ]
    if not calls:
        return _never(rule, "called")
    targets = {each.target.name: each.target for each in interposer.operations.values()}
    head = f"{_subject(rule)} called {_times(len(calls))}"
    if unmet := _unmet(rule, calls, targets, interposer.ages):
        return f"{head}, {unmet}"
    met = [call for call in calls if _meets(rule, call, targets, interposer.ages)]
    if not met:
        return None  # its ages are those of another process
    return _too_few(rule, head, calls, met) or _taken(rule, met, by_call, results, plan)


def _beside_calls(rule: Rule, verb: str, number: int) -> str | None:
    if not number:
        return _never(rule, verb)
    head = f"{_subject(rule)} {verb} {_times(number)}"
    if rule.when is not None or rule.scope is not None:
        return f"{head}, and not often enough as the rule asks"
    return f"{head}, and the rule waits for the {_ordinal(_first(rule))}" if number < _first(rule) else None


def _unmet(
    rule: Rule, calls: Sequence[ToolCall], targets: Mapping[str, Target], ages: Mapping[int, float | None]
) -> str | None:
    """What none of the calls was like."""
    if rule.scope is not None:
        calls = [call for call in calls if call.scope == rule.scope]
        if not calls:
            return f"never in the scope {rule.scope!r}"
    when = rule.when or When()
    for name in when.args:
        if not any(_has(when, name, call, targets) for call in calls):
            wanted = " or ".join(map(_shown, when.args[name]))
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
        return f"never for a record newer than {_length(when.newer_than)} (the youngest was {_length(min(known))} old)"
    if when.older_than is not None and max(known) < when.older_than:
        return f"never for a record older than {_length(when.older_than)} (the oldest was {_length(max(known))} old)"
    return "never for a record as old as the rule asks"


def _too_few(rule: Rule, head: str, calls: Sequence[ToolCall], met: Sequence[ToolCall]) -> str | None:
    groups = _groups(met)
    most = max(map(len, groups))
    if most >= _first(rule):
        return None
    these = "" if len(met) == len(calls) else f", {len(met)} of them as the rule asks"
    if len(groups) > 1:
        these += f", at most {most} of them {'at one operation' if len(rule.targets) > 1 else 'in one scope'}"
    return f"{head}{these}, and the rule waits for the {_ordinal(_first(rule))}"


def _taken(
    rule: Rule,
    met: Sequence[ToolCall],
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


def _groups(calls: Sequence[ToolCall]) -> list[list[ToolCall]]:
    """The calls that are counted together, in order of arrival."""
    groups: dict[tuple[str, str], list[ToolCall]] = {}
    for call in calls:
        groups.setdefault((call.target, call.scope), []).append(call)
    return list(groups.values())


def _meets(rule: Rule, call: ToolCall, targets: Mapping[str, Target], ages: Mapping[int, float | None]) -> bool:
    if rule.scope not in (None, call.scope):
        return False
    when = rule.when
    return when is None or (
        all(_has(when, name, call, targets) for name in when.args) and when.allows_age(ages.get(call.call))
    )


def _has(when: When, name: str, call: ToolCall, targets: Mapping[str, Target]) -> bool:
    return when.allows(name, _args(call), targets[call.target].schemas)


def _args(call: ToolCall) -> Mapping[str, Any]:
    return call.args if isinstance(call.args, Mapping) else {}


def _found_no_tool(result: ToolResult | None) -> bool:
    return result is not None and result.form == "unknown_tool"


def _came(name: str, calls: Sequence[ToolCall]) -> str:
    """How an argument came: `it came as '1', '2', … or was left out`."""
    values = list(dict.fromkeys(_shown(_args(call)[name]) for call in calls if name in _args(call)))
    ways = [f"came as {', '.join(values[:SHOWN])}{', …' if values[SHOWN:] else ''}"] if values else []
    if any(name not in _args(call) for call in calls):
        ways.append("was left out")
    return f"it {' or '.join(ways)}"


def _shown(value: Any) -> str:
    return "null" if value is None else shown(value)


def _subject(rule: Rule) -> str:
    return f"{rule.targets[0]} was" if len(rule.targets) == 1 else f"its {len(rule.targets)} operations were"


def _never(rule: Rule, verb: str) -> str:
    if len(rule.targets) == 1:
        return f"{rule.targets[0]} was never {verb}"
    return f"none of its {len(rule.targets)} operations was {verb}"


def _first(rule: Rule) -> int:
    """The first matching call at which the rule fires."""
    return rule.every or rule.nth or 1


def _times(number: int) -> str:
    return "once" if number == 1 else f"{number} times"


def _ordinal(number: int) -> str:
    ending = "th" if number % 100 in TEENS else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def _length(seconds: float) -> str:
    """A length of time as plans write it, in its two largest units: `3d`, `1h30m`, `0.5s`."""
    return "".join(_parts(seconds)) or f"{seconds:.3g}s"


def _parts(seconds: float) -> Iterator[str]:
    left, said = int(seconds), 0
    for unit, size in UNITS:
        number, left = divmod(left, size)
        if number and said < 2:  # noqa: PLR2004 - the two largest
            yield f"{number}{unit}"
        said += bool(number) or bool(said)
