"""The one place where a call meets decision, fault, clock and trace.

Wires hand in a tool's name and arguments and get an `Outcome`; what follows from it in their protocol is theirs.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Collection, Mapping
from functools import partial
from typing import Any, NamedTuple

from msgspec.structs import replace

from squall.call import LISTING, Form, Outcome, Target
from squall.canonical import uniform
from squall.clock import Clock, real
from squall.clock.ending import limit
from squall.decide import Decider, Decision, Keyed, Point, Rule, Situation, digest_of
from squall.errors import UsageError, is_weather
from squall.faults import CALM, Action, Limits, Plan
from squall.interpose.attempt import outcome_of
from squall.interpose.caller import SILENT, Caller
from squall.interpose.drive import FOREVER, adrive, drive, leave
from squall.interpose.numbers import Numbers
from squall.interpose.one_call import OneCall
from squall.interpose.promises import Promises
from squall.interpose.records import answered, called, faulted
from squall.interpose.scope import CURRENT
from squall.interpose.service import Operation, Service
from squall.trace import Recorder

NO_ARGS: Mapping[str, Any] = {}
__tracebackhide__ = is_weather


class Happening(NamedTuple):
    """A fault at a point that is no call: a list of tools that is begun, an event that is emitted."""

    target: Target
    decision: Decision
    rule: Rule
    action: Action


class Beside(NamedTuple):
    """A point that is no call, and how many events the run had when it came."""

    at: int
    target: Target
    point: Point


class Interposer:
    """Stands before one service in one run. `recorder=None` records nothing and is faster for calls no rule names.

    `numbers` are those of the run's calls, where other wires count along. With a `decider` of somebody's own `besides`
    lists the points that are no calls, since those leave no event where nothing happens, and `may_lose` tells by the
    number of a call what its caller may lose beside the reply.
    """

    def __init__(
        self,
        service: Service,
        operations: Mapping[str, Operation],
        clock: Clock,
        *,
        plan: Plan = CALM,
        limits: Limits | None = None,
        decider: Decider | None = None,
        recorder: Recorder | None = None,
        seed: int = 0,
        run_index: int = 0,
        volatile: Collection[str] = (),
        numbers: Numbers | None = None,
    ) -> None:
        self.service, self.operations, self.clock, self.plan = service, operations, clock, plan
        self.limits = limits or plan.limits
        self.decider = decider or Keyed(plan.rules, seed=seed, run_index=run_index)
        self.recorder = recorder
        self.calls = 0
        self.fired: Counter[int] = Counter()
        self.ages: dict[int, float | None] = {}  # of the record that a call was about, where a rule asked
        self.removed: set[str] = set()
        self.answered: set[int] = set()
        self.bugs: list[tuple[str, BaseException]] = []  # by the tool whose operation raised them
        self.promises = Promises()
        self.limit_reached: str | None = None
        self.closed = False
        self.at_limit: Callable[[], None] | None = None
        self._key = (seed, run_index)
        self.volatile = frozenset(volatile)
        self.numbers = numbers or Numbers()
        self._equal: dict[tuple[str, str, str], int] = {}  # a Counter takes longer, and each call counts
        self._lock = threading.Lock()
        self._open: dict[int, OneCall] = {}
        rules = plan.rules
        self._rigged = {
            name for group in (rules.faults, rules.latencies, rules.limits) for e in group for name in e.targets
        }
        self._watched = recorder is not None or decider is not None
        self.besides: list[Beside] = []
        self.may_lose: dict[int, tuple[Form, ...]] = {}
        self._notes_besides = decider is not None

    def call(self, tool: str, args: Mapping[str, Any] = NO_ARGS) -> Outcome:
        """Make a call from sync code; waits move the clock. Raises `LimitReached` when the run's limits end it."""
        operation = self.operations.get(tool)
        if operation is None or tool in self.removed:
            return self._missing(tool, args)
        if not self._watched and operation.target.name not in self._rigged and not operation.is_async:
            self._count()
            return outcome_of(lambda: self.service.call(tool, args), lambda bug: self.bugs.append((tool, bug)))
        one = OneCall(self, operation, args)
        return drive(one, one.going)

    async def acall(self, tool: str, args: Mapping[str, Any] = NO_ARGS, *, caller: Caller = SILENT) -> Outcome:
        """Make a call from async code; waits are the running loop's. `caller` is who waits for the outcome."""
        operation = self.operations.get(tool)
        if operation is None or tool in self.removed:
            return self._missing(tool, args)
        one = OneCall(self, operation, args, caller)
        return await adrive(one, one.going)

    def visible(self) -> list[str]:
        """The tools that the server lists now."""
        return [tool for tool in self.operations if tool not in self.removed]

    def page_size(self) -> int:
        """A client begins to list the tools: how many a page holds now; 0 where all come at once."""
        tools = len(self.visible())
        happening = self.beside(replace(LISTING, size=tools), NO_ARGS)
        if happening is None:
            return 0
        size = happening.action.page_size
        self.note(happening, fired=0 < size < tools)
        return size

    def points(self, target: str) -> int:
        """How many points there have been at a target, in all scopes."""
        return sum(number for (_, name, _), number in self._equal.items() if name == target)

    def beside(self, target: Target, args: Mapping[str, Any]) -> Happening | None:
        """Decide at a point that is no call; what happens there is the caller's to do, and then to `note`."""
        if target.name not in self._rigged and not self._notes_besides:
            return None
        with self._lock:
            point, _ = self._point(target, args)
            if self._notes_besides:
                self.besides.append(Beside(0 if self.recorder is None else self.recorder.written, target, point))
            situation = Situation(target, point, args, self.clock.elapsed(), lambda _latency: None)
            decision = self.decider.decide(situation)
        rule = decision.rule
        if rule is None:
            return None
        bound = self.plan.bound[rule.id]
        return Happening(target, decision, rule, bound.kind.act(bound.params, partial(self.draw, point), target))

    def note(self, happening: Happening, *, fired: bool = True) -> None:
        """Count and record what has happened beside the calls, or would have."""
        target, decision, rule, _ = happening
        with self._lock:
            self.fired[rule.id] += fired
        if self.recorder is not None:
            self.recorder.record(faulted(0, rule, target, decision, fired=fired))

    def draw(self, point: Point, name: str) -> float:
        """A uniform number for `name`, the same for the point in every run."""
        return uniform(*self._key, name, *point.key)

    def waiting(self) -> list[str]:
        """The calls that have had no reply yet, for people: `call 2: confirm(id='1') since 0 s, hang(after)`."""
        return [f"{one.ref} since {one.began:g} s{one.fault_in_words()}" for one in self._open.values()]

    def leave(self) -> None:
        """The run is over: calls that still wait are recorded as they stand, and what they promise still happens."""
        for one in list(self._open.values()):
            leave(one, one.going)

    def keep_promises(self) -> None:
        """Bring the effects to their end that go on without their callers. Part of ending a run."""
        self.promises.keep()

    async def hold(self) -> None:
        """Keep a caller waiting once the run is over, until the clock ends it: it has no time left.

        For servers in tasks of their own: a limit raised there would end the server alone, and an agent that retries
        on a closed connection would never be stopped. Where `at_limit` is set, it sees to the end instead.
        """
        if self.at_limit is not None:
            self.at_limit()
            await real.asleep(FOREVER)
        self.clock.limit = self.clock.elapsed()
        await self.clock.asleep(FOREVER, capped=True)

    def _note_ways(self, number: int, caller: Caller) -> None:
        if self._notes_besides and caller.may_lose:
            self.may_lose[number] = caller.may_lose

    def _missing(self, tool: str, args: Mapping[str, Any]) -> Outcome:
        """A call of a tool that is not there. It counts and is recorded: an agent may repeat it for ever."""
        outcome = Outcome("unknown_tool", error=f"Unknown tool: {tool}")
        operation = self.operations.get(tool)
        target = Target(tool, tool) if operation is None else operation.target
        with self._lock:
            number = self._count()
            point, masked = self._point(target, args)
        if self.recorder is not None:
            self.recorder.record(called(number, target, point, args, masked))
            self.recorder.record(answered(number, outcome, 0.0, self.service.revision))
        return outcome

    def _count(self) -> int:
        if self.closed:
            raise UsageError("this run has ended, and its tools can be called no more")
        self.calls += 1
        if self.calls > self.limits.calls:
            self.limit_reached = f"the run made more than {self.limits.calls} tool calls"
            raise limit(self.clock, self.limit_reached)
        return self.numbers()

    def _arrive(self, target: Target, args: Mapping[str, Any]) -> tuple[int, Decision, list[str]]:
        """Number the call, name its point and decide; in order of arrival, whichever thread it comes from."""
        with self._lock:
            number = self._count()
            point, masked = self._point(target, args)

            def age(latency: float) -> float | None:
                seconds = self.service.age_of(target.tool, args)
                self.ages[number] = None if seconds is None else seconds + latency
                return self.ages[number]

            return number, self.decider.decide(Situation(target, point, args, self.clock.elapsed(), age)), masked

    def _point(self, target: Target, args: Mapping[str, Any]) -> tuple[Point, list[str]]:
        """The point of a call that arrives now, and which of its arguments were masked. Under the lock."""
        scope = CURRENT.get()
        digest, masked = digest_of(args, self.volatile, (self.clock.time(), real.wall_time()))
        call = scope, target.name, digest
        nth = self._equal[call] = self._equal.get(call, 0) + 1
        return Point(target.wire, scope, target.name, digest, nth), masked
