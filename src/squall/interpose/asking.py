"""Where a request to a model meets decision, fault, clock and trace, as calls of tools do in `interposer`.

Wires hand in a request that they have read and found valid, and get an `Exchange`: what is to happen to it. Knows no
provider and no brain.
"""

from __future__ import annotations

import hashlib
import threading
from collections import Counter
from collections.abc import Callable, Collection
from typing import Protocol

from squall.call import ModelRequest, Target, Usage
from squall.canonical import uniform
from squall.clock import Clock, real
from squall.clock.ending import limit
from squall.decide import Decider, Decision, Keyed, Point, Rule, Situation, digest_of
from squall.faults import CALM, Limits, Plan
from squall.faults.at_model import SLOTS, Slot
from squall.interpose.counters import Counters, Lane
from squall.interpose.exchange import Due, Exchange
from squall.interpose.numbers import Numbers
from squall.interpose.opaque import renamed
from squall.trace import Recorder
from squall.trace.kinds import Attempt, ModelCall

RETRIES = "x-stainless-retry-count"  # what the official SDKs number their tries with, from 0
MOST_DIGITS = 3  # of a number of tries
DIGEST = 8  # bytes


class Weather(Protocol):
    """What decides by points: which slots of a request it speaks of, and who decides there."""

    def slots(self) -> tuple[Slot, ...]:
        """The slots of which it says something."""
        ...

    def of_slot(self, slot: Slot, otherwise: Decider | None) -> Decider:
        """Who decides in a slot; `otherwise` does where the weather says nothing."""
        ...

    def without(self, plan: Plan) -> Plan:
        """A plan but for the rules that are the weather's own."""
        ...


class ModelInterposer:
    """Stands before one provider in one run. `numbers` are those of the run's calls, over both wires.

    `keep` holds on to every request for the test to look at; a provider that serves for days does not. `weather`
    decides by points where it says something, in place of those rules of the plan that are its own.
    """

    def __init__(
        self,
        clock: Clock,
        *,
        plan: Plan = CALM,
        limits: Limits | None = None,
        recorder: Recorder | None = None,
        seed: int = 0,
        run_index: int = 0,
        volatile: Collection[str] = (),
        numbers: Numbers | None = None,
        keep: bool = True,
        weather: Weather | None = None,
    ) -> None:
        self.clock, self.recorder, self.key = clock, recorder, (seed, run_index)
        self.limits = limits or plan.limits
        self.requests: list[ModelRequest] = []
        self.exchanges: list[Exchange] = []
        self.attempts = 0
        self.used: Counter[str] = Counter()  # tokens, `input` and `output`
        self.fired: Counter[int] = Counter()
        self.spared: dict[int, str] = {}  # by rule, why it changed nothing when it was reached last
        self.limit_reached: str | None = None
        self.on_finished: list[Callable[[Exchange], None]] = []
        self._volatile = frozenset(volatile)
        self._numbers = numbers or Numbers()
        self._keep = keep
        self._lock = threading.Lock()
        self._counters = Counters(self._forget)
        self._keyed: dict[Slot, Keyed] = {}
        self._deciders: dict[Slot, Decider] = {}
        self._weather = weather
        self.follow(plan)

    def follow(self, plan: Plan) -> None:
        """From now on decide by this plan. What the one before has counted goes on, by the ids of rules."""
        self.plan = plan
        seed, run_index = self.key
        slots = plan.slots() if self._weather is None else self._weather.without(plan).slots()
        self._keyed = {
            slot: Keyed(slots[slot], seed=seed, run_index=run_index, salt=slot, after=self._keyed.get(slot))
            for slot in SLOTS
            if slot in slots
        }
        self._deciders = {**self._keyed}
        if self._weather is not None:
            self._deciders |= {
                slot: self._weather.of_slot(slot, self._keyed.get(slot)) for slot in self._weather.slots()
            }
        self._models = plan.of_wire("model").models() if self._deciders else frozenset()

    def arrive(self, request: ModelRequest, target: Target, raw: bytes) -> Exchange:
        """A request arrives, found valid. `raw` is its body. Raises `BadRequest` where no counter is left for it."""
        lane = Lane(request.scope, request.endpoint, request.model)
        retries = _retries(request)
        sent = None if self.recorder is None else self.recorder.meeting.take(bytes(raw), retries)
        number = self._numbers if sent is None else lambda: sent.call
        with self._lock:
            counter = self._counters.of(lane, self.clock.elapsed())
            counter.requests += 1
            self.attempts += 1
            digest, masked = self._digest(request, raw)
            call, first = counter.tried(digest, retries, number)
            point = Point("model", request.scope, target.name, digest, call.nth, call.tries)
            exchange = Exchange(self, request, target, point, call, counter.requests, sent)
            if self.attempts > self.limits.calls:
                self._end(exchange, f"the run made more than {self.limits.calls} requests to models")
            elif self._is_ruled(request):
                self._decide(exchange, lane)
            if self._keep:
                self.requests.append(request)
                self.exchanges.append(exchange)
        if self.recorder is not None:
            self._record(exchange, masked, first=first and sent is None)
        return exchange

    def spend(self, exchange: Exchange, usage: Usage) -> None:
        """A reply has been made up. Where the run has used more tokens by now than it may, it is never sent."""
        with self._lock:
            self.used.update(input=usage.input, output=usage.output)
            most = self.limits.tokens
            if most is not None and self.used.total() > most:
                self._end(exchange, f"the run used more than {most} tokens of models")

    def release(self, scope: str) -> int:
        """Forget a scope's counters, whose sequence starts anew; how many there were."""
        with self._lock:
            return self._counters.release(scope, self.clock.elapsed())

    @property
    def tells(self) -> bool:
        """Whether anybody hears of what requests come to."""
        return self.recorder is not None or bool(self.on_finished) or self._keep

    def draw(self, point: Point, name: str) -> float:
        """A uniform number for `name`, the same for the point in every run."""
        return uniform(*self.key, name, *point.key)

    def count_fired(self, rule: Rule) -> None:
        """A rule has fired."""
        with self._lock:
            self.fired[rule.id] += 1

    def finished(self, exchange: Exchange) -> None:
        """Tell whoever writes finished requests down."""
        for tell in self.on_finished:
            tell(exchange)

    def _is_ruled(self, request: ModelRequest) -> bool:
        """Whether anything may happen to a request: most of a provider's models are in no rule."""
        return self._models is None or request.model in self._models

    def _digest(self, request: ModelRequest, raw: bytes) -> tuple[str, list[str]]:
        if self.recorder is None and not self._is_ruled(request):
            # nobody asks for the point: it only has to differ where requests do
            return hashlib.blake2b(raw, digest_size=DIGEST).hexdigest(), []
        body = {name: value for name, value in request.body.items() if name != "mock_scope"}
        return digest_of(renamed(body), self._volatile, (self.clock.time(), real.wall_time()))

    def _decide(self, exchange: Exchange, lane: Lane) -> None:
        request, target, point = exchange.request, exchange.target, exchange.point
        args = {"model": request.model, "stream": request.stream}
        situation = Situation(target, point, args, self.clock.elapsed(), lambda _latency: None, lane=lane.name)
        due: dict[str, Due] = {}
        for slot, decider in self._deciders.items():
            decision = decider.decide(situation)
            exchange.latency += decision.latency
            exchange.retry_after = decision.retry_after or exchange.retry_after
            if decision.rule is not None:
                due[slot] = self._due(decision, decision.rule, target)
        exchange.due = due

    def _due(self, decision: Decision, rule: Rule, target: Target) -> Due:
        bound = self.plan.bound[rule.id]
        action = bound.kind.act(bound.params, lambda name: self.draw(decision.point, name), target)
        return Due(rule, decision, action)

    def _end(self, exchange: Exchange, why: str) -> None:
        """The run has asked for too much: this request is never answered, and the clock ends the agent."""
        self.limit_reached = why
        limit(self.clock, why)
        self.clock.limit = self.clock.elapsed()
        exchange.over = True

    def _record(self, exchange: Exchange, masked: list[str], *, first: bool) -> None:
        assert self.recorder is not None  # noqa: S101 - its only caller has asked
        request, point = exchange.request, exchange.point
        if first:
            asked = self.recorder.conversations.take(exchange.call, point.target, request.body)
            self.recorder.record(
                ModelCall(
                    call=exchange.call,
                    target=point.target,
                    model=request.model,
                    stream=request.stream,
                    scope=point.scope,
                    continues=asked.continues,
                    messages=asked.messages,
                    tools=asked.tools,
                    asked=asked.rest,
                )
            )
        self.recorder.record(
            Attempt(
                call=exchange.call,
                attempt=point.attempt,
                number=exchange.number,
                target=point.target,
                scope=point.scope,
                digest=point.digest,
                nth=point.nth,
                masked=masked,
            )
        )

    def _forget(self, lane: Lane) -> None:
        for decider in self._keyed.values():
            decider.forget(lane.scope, lane.name)


def _retries(request: ModelRequest) -> int:
    """How many tries the client says it has made before; 0 where it says nothing that makes sense."""
    said = request.headers.get(RETRIES, "0")
    return int(said) if said.isdecimal() and len(said) <= MOST_DIGITS else 0
