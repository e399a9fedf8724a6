"""The numbers of one run, read off its trace: what was planned, what happened, what it took."""

from __future__ import annotations

from collections import Counter

from squall.faults import Plan
from squall.runs.scenario.plan import place_of
from squall.runs.scenario.spec import PricesSpec
from squall.store.record import FaultMet, Metrics
from squall.trace import Trace
from squall.trace.kinds import Attempt, Effected, Faulted, ModelCall, ModelReply, ToolCall

DIGITS = 6
TWICE = "duplicate_delivery"


def faults_met(plan: Plan, trace: Trace) -> tuple[FaultMet, ...]:
    """What became of each planned fault, in the order of the plan."""
    reached: Counter[int] = Counter()
    fired: Counter[int] = Counter()
    for _, event in trace:
        if isinstance(event, Faulted):
            reached[event.rule] += event.reached
            fired[event.rule] += event.fired
    return tuple(
        FaultMet(
            kind=rule.kind,
            wire=plan.bound[rule.id].kind.wire,
            place=", ".join(map(place_of, rule.models or rule.targets)),
            reached=reached[rule.id],
            fired=fired[rule.id],
        )
        for rule in plan.rules.faults
    )


def metrics_of(faults: tuple[FaultMet, ...], trace: Trace, prices: PricesSpec, *, met: bool) -> Metrics:
    """The numbers of a run whose expectations hold, or do not.

    A request that is equal to one before it counts as another attempt of the same call.
    """
    calls = attempts = requests = turns = 0
    tokens = {"input_tokens": 0, "output_tokens": 0}
    wrote: set[int] = set()
    twice: set[int] = set()
    made: dict[int, tuple[str, str]] = {}
    first = last = 0.0
    for envelope, event in trace:
        last = envelope.t
        if isinstance(event, ToolCall):
            attempts += 1
            calls += event.nth <= 1
            made[event.call] = (event.tool, event.digest)
        elif isinstance(event, Attempt):
            requests += 1
            calls += event.nth <= 1 and event.attempt == 1
        elif isinstance(event, ModelCall):
            turns += 1
        elif isinstance(event, ModelReply):
            for name in tokens:
                tokens[name] += event.usage.get(name, 0)
        elif isinstance(event, Effected) and event.call is not None:
            wrote.add(event.call)
        elif isinstance(event, Faulted) and event.fired and event.fault == TWICE:
            twice.add(event.call)
    writes = Counter(made[call] for call in wrote if call in made)
    fired = sum(each.fired for each in faults)
    cost = attempts * prices.call + requests * prices.request
    cost += tokens["input_tokens"] * prices.input_token + tokens["output_tokens"] * prices.output_token
    return Metrics(
        planned=len(faults),
        reached=sum(each.reached > 0 for each in faults),
        fired=sum(each.fired > 0 for each in faults),
        recovered=met and fired > 0,
        calls=calls,
        attempts=attempts + requests,
        retries_per_call=round((attempts + requests - calls) / calls, DIGITS) if calls else 0.0,
        duplicate_effects=sum(number - 1 for number in writes.values()) + len(twice & wrote),
        latency_s=round(last - first, DIGITS),
        cost=round(cost, DIGITS),
        steps=turns + attempts,
        tokens=sum(tokens.values()),
    )
