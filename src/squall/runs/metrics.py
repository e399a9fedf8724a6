"""The numbers of one run, read off its trace: what was planned, what happened, what it took."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence

from squall.canonical import dumps
from squall.decide import RateLimit
from squall.faults import Plan
from squall.runs.scenario.spec import PricesSpec
from squall.runs.scenario.targets import place_of
from squall.store.record import FaultMet, Metrics
from squall.trace import Trace
from squall.trace.kinds import (
    AgentFinal,
    Attempt,
    Effected,
    Faulted,
    ModelReply,
    ToolCall,
    ToolResult,
)

DIGITS = 6
TOO_MANY = 429
RATE_LIMIT = "rate_limit"
TWICE = "duplicate_delivery"


def faults_met(plan: Plan, trace: Trace) -> tuple[FaultMet, ...]:
    """What became of each planned fault, in the order of the plan, and then of each rate limit.

    A rate limit is reached by every call that it is for, and fires where it refuses one.
    """
    reached: Counter[int] = Counter()
    fired: Counter[int] = Counter()
    for _, event in trace:
        if isinstance(event, Faulted):
            reached[event.rule] += event.reached
            fired[event.rule] += event.fired
    faults = (
        FaultMet(
            kind=rule.kind,
            wire=plan.bound[rule.id].kind.wire,
            place=", ".join(map(place_of, rule.models or rule.targets)),
            reached=reached[rule.id],
            fired=fired[rule.id],
        )
        for rule in plan.rules.faults
    )
    return (*faults, *_limits_met(plan.rules.limits, trace))


def metrics_of(
    faults: tuple[FaultMet, ...],
    trace: Trace,
    prices: PricesSpec,
    *,
    met: bool,
    tokens: Mapping[str, int] | None = None,
) -> Metrics:
    """The numbers of a run whose expectations hold, or do not.

    A request that is equal to one before it counts as another attempt of the same call. The time is that of the agent's
    end: what lands after it takes nobody's time. `tokens` are those that the provider counted, `input` and `output`;
    where they are not given, those that replies tell of.
    """
    attempts = requests = calls = turns = 0
    told: Counter[str] = Counter()
    made: dict[int, ToolCall] = {}
    effects: dict[int, list[tuple[str, str]]] = defaultdict(list)
    delivered_twice: set[int] = set()
    last, ended = 0.0, None
    for envelope, event in trace:
        last = envelope.t
        if isinstance(event, ToolCall):
            attempts += 1
            calls += event.nth <= 1
            made[event.call] = event
        elif isinstance(event, Attempt):
            requests += 1
            turns += event.nth <= 1 and event.attempt == 1
        elif isinstance(event, ModelReply):
            told.update(event.usage)
        elif isinstance(event, Effected) and event.call is not None:
            effects[event.call].append((event.table, event.op))
        elif isinstance(event, Faulted) and event.fired and event.fault == TWICE:
            delivered_twice.add(event.call)
        elif isinstance(event, AgentFinal):
            ended = envelope.t
    used = told if tokens is None else tokens
    read, written = used.get("input", 0), used.get("output", 0)
    writes = Counter(_request(made[call]) for call in effects if call in made)
    again = sum(number - 1 for number in writes.values())
    again += sum(_is_doubled(effects[call]) for call in delivered_twice & effects.keys())
    fired = sum(each.fired for each in faults)
    cost = attempts * prices.call + requests * prices.request
    cost += read * prices.input_token + written * prices.output_token
    calls += turns
    return Metrics(
        planned=len(faults),
        reached=sum(each.reached > 0 for each in faults),
        fired=sum(each.fired > 0 for each in faults),
        recovered=met and fired > 0,
        calls=calls,
        attempts=attempts + requests,
        retries_per_call=round((attempts + requests - calls) / calls, DIGITS) if calls else 0.0,
        duplicate_effects=again,
        latency_s=round(last if ended is None else ended, DIGITS),
        cost=round(cost, DIGITS),
        steps=turns + attempts,
        tokens=read + written,
    )


def _request(call: ToolCall) -> tuple[str, bytes]:
    """What a write asks for, whether or not it has an idempotency key, or anything else that differs each time."""
    args = call.args if isinstance(call.args, Mapping) else {}
    if not set(call.masked) <= args.keys():  # something inside of an argument
        return call.target, call.digest.encode()
    return call.target, dumps({name: value for name, value in args.items() if name not in call.masked})


def _is_doubled(effects: Sequence[tuple[str, str]]) -> bool:
    """Whether what one call did is the same thing twice, as a request does that was delivered twice."""
    half, odd = divmod(len(effects), 2)
    return not odd and effects[:half] == effects[half:]


def _limits_met(limits: Sequence[RateLimit], trace: Trace) -> Iterator[FaultMet]:
    if not limits:
        return
    arrived: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    target: dict[int, str] = {}
    faulty = {event.call for _, event in trace if isinstance(event, Faulted) and event.fired}
    for _, event in trace:
        if isinstance(event, ToolCall | Attempt):
            target[event.call] = event.target
            arrived[event.target] += 1
        elif isinstance(event, ToolResult | ModelReply) and event.status == TOO_MANY:
            by_fault = event.call in faulty if isinstance(event, ToolResult) else bool(event.faults)
            refused[target.get(event.call, "")] += not by_fault
    for limit in limits:
        yield FaultMet(
            kind=RATE_LIMIT,
            wire=limit.wire,
            place=", ".join(map(place_of, limit.models or limit.targets)),
            reached=sum(arrived[name] for name in limit.targets),
            fired=sum(refused[name] for name in limit.targets),
        )
