"""The one place where a call meets decision, fault, clock and trace.

Wires hand in a tool's name and arguments and get an `Outcome`; what follows from it in their protocol is theirs.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Collection, Mapping
from copy import deepcopy
from functools import partial
from typing import Any

from msgspec.structs import replace

from squall.call import LISTING, CallRef, Outcome, Target
from squall.canonical import uniform
from squall.clock import Clock, real
from squall.decide import Decider, Decision, Keyed, Point, Rule, Situation, digest_of
from squall.errors import LimitReached, UsageError, is_weather
from squall.faults import CALM, Action, Limits, Plan
from squall.interpose.attempt import outcome_of
from squall.interpose.caller import SILENT, Caller
from squall.interpose.drive import FOREVER, Left, adrive, drive, leave
from squall.interpose.promises import Promises
from squall.interpose.scope import CURRENT
from squall.interpose.service import Operation, Service
from squall.interpose.steps import Run, Steps, calm, fault, refuse
from squall.trace import Recorder
from squall.trace.kinds import Abandoned, Faulted, Landed, ToolCall, ToolResult

NO_ARGS: Mapping[str, Any] = {}
__tracebackhide__ = is_weather


class Interposer:
    """Stands before one service in one run. `recorder=None` records nothing and is faster for calls no rule names."""

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
    ) -> None:
        self.service, self.operations, self.clock, self.plan = service, operations, clock, plan
        self.limits = limits or plan.limits
        self.decider = decider or Keyed(plan.rules, seed=seed, run_index=run_index)
        self.recorder = recorder
        self.calls = 0
        self.fired: Counter[int] = Counter()
        self.removed: set[str] = set()
        self.answered: set[int] = set()
        self.bugs: list[tuple[str, BaseException]] = []  # by the tool whose operation raised them
        self.promises = Promises()
        self.limit_reached: str | None = None
        self.closed = False
        self.at_limit: Callable[[], None] | None = None
        self._key = (seed, run_index)
        self._volatile = frozenset(volatile)
        self._equal: Counter[tuple[str, str, str]] = Counter()
        self._lock = threading.Lock()
        self._open: dict[int, _OneCall] = {}
        rules = plan.rules
        self._rigged = {
            name for group in (rules.faults, rules.latencies, rules.limits) for e in group for name in e.targets
        }
        self._watched = recorder is not None or decider is not None

    def call(self, tool: str, args: Mapping[str, Any] = NO_ARGS) -> Outcome:
        """Make a call from sync code; waits move the clock. Raises `LimitReached` when the run's limits end it."""
        operation = self.operations.get(tool)
        if operation is None or tool in self.removed:
            return self._missing(tool, args)
        if not self._watched and operation.target.name not in self._rigged and not operation.is_async:
            self._count()
            return outcome_of(lambda: self.service.call(tool, args), lambda bug: self.bugs.append((tool, bug)))
        one = _OneCall(self, operation, args)
        return drive(one, one.going)

    async def acall(self, tool: str, args: Mapping[str, Any] = NO_ARGS, *, caller: Caller = SILENT) -> Outcome:
        """Make a call from async code; waits are the running loop's. `caller` is who waits for the outcome."""
        operation = self.operations.get(tool)
        if operation is None or tool in self.removed:
            return self._missing(tool, args)
        one = _OneCall(self, operation, args, caller)
        return await adrive(one, one.going)

    def visible(self) -> list[str]:
        """The tools that the server lists now."""
        return [tool for tool in self.operations if tool not in self.removed]

    def page_size(self) -> int:
        """A client begins to list the tools: how many a page holds now; 0 where all come at once."""
        if LISTING.name not in self._rigged:
            return 0
        with self._lock:
            point, _ = self._point(LISTING, NO_ARGS)
            situation = Situation(LISTING, point, NO_ARGS, self.clock.elapsed(), lambda _latency: None)
            decision = self.decider.decide(situation)
            rule = decision.rule
            if rule is None:
                return 0
            bound = self.plan.bound[rule.id]
            size = bound.kind.act(bound.params, partial(self.draw, point), LISTING).page_size
            fired = 0 < size < len(self.visible())
            self.fired[rule.id] += fired
        if self.recorder is not None:
            self.recorder.record(_faulted(0, rule, LISTING, decision, fired=fired))
        return size

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

    def _missing(self, tool: str, args: Mapping[str, Any]) -> Outcome:
        """A call of a tool that is not there. It counts and is recorded: an agent may repeat it for ever."""
        outcome = Outcome("unknown_tool", error=f"Unknown tool: {tool}")
        operation = self.operations.get(tool)
        target = Target(tool, tool) if operation is None else operation.target
        with self._lock:
            number = self._count()
            point, masked = self._point(target, args)
        if self.recorder is not None:
            self.recorder.record(_called(number, target, point, args, masked))
            self.recorder.record(_answered(number, outcome, 0.0, self.service.revision))
        return outcome

    def _count(self) -> int:
        if self.closed:
            raise UsageError("this run has ended, and its tools can be called no more")
        self.calls += 1
        if self.calls > self.limits.calls:
            self.limit_reached = f"the run made more than {self.limits.calls} tool calls"
            raise LimitReached(self.limit_reached)
        return self.calls

    def _arrive(self, target: Target, args: Mapping[str, Any]) -> tuple[int, Decision, list[str]]:
        """Number the call, name its point and decide; in order of arrival, whichever thread it comes from."""
        with self._lock:
            number = self._count()
            point, masked = self._point(target, args)

            def age(latency: float) -> float | None:
                seconds = self.service.age_of(target.tool, args)
                return None if seconds is None else seconds + latency

            return number, self.decider.decide(Situation(target, point, args, self.clock.elapsed(), age)), masked

    def _point(self, target: Target, args: Mapping[str, Any]) -> tuple[Point, list[str]]:
        """The point of a call that arrives now, and which of its arguments were masked. Under the lock."""
        scope = CURRENT.get()
        digest, masked = digest_of(args, self._volatile, (self.clock.time(), real.wall_time()))
        self._equal[scope, target.name, digest] += 1
        return Point(target.wire, scope, target.name, digest, self._equal[scope, target.name, digest]), masked


class _OneCall:
    """One call on its way: numbers it, tells its steps, and records what came of it."""

    def __init__(
        self, owner: Interposer, operation: Operation, args: Mapping[str, Any], caller: Caller = SILENT
    ) -> None:
        args = _kept(args)
        self.owner, self.operation, self.args = owner, operation, args
        self.clock, self.service, self.promises = owner.clock, owner.service, owner.promises
        self.began = owner.clock.elapsed()
        number, self.decision, masked = owner._arrive(operation.target, args)  # noqa: SLF001 - two halves of one room
        self.ref = CallRef(number, operation.tool, args)
        self.caller = caller
        self.happened = self.begun = self.done = self.later = False
        self.going = self.steps()
        owner._open[number] = self  # noqa: SLF001 - as above
        if owner.recorder is not None:
            owner.recorder.record(_called(number, operation.target, self.decision.point, args, masked))

    def steps(self) -> Steps:
        """The call's steps, with its records around them."""
        rule = self.decision.rule
        if rule is not None:
            bound = self.owner.plan.bound[rule.id]
            action: Action = bound.kind.act(bound.params, self._draw, self.operation.target)
            inner = fault(self.decision, rule.phase, bound, action, lambda: self._fire(rule, action))
        else:
            inner = calm(self.decision) if self.decision.retry_after is None else refuse(self.decision)
        try:
            outcome = yield from inner
        except LimitReached as reached:
            self.owner.limit_reached = str(reached)
            self._finish(rule, "cancelled", error=str(reached))
            raise
        except Left:
            self._finish(rule, "cancelled", error=self.clock.limit_reached or "the run ended while the call waited")
            raise
        except BaseException as error:
            self._abandon()
            self._finish(rule, "cancelled", error=f"the caller gave up ({type(error).__name__})")
            raise
        self._finish(rule, outcome.form, outcome)
        return outcome

    def run(self, step: Run) -> Any:
        """The operation's answer, or an awaitable of it."""
        if step.behind:
            return self.service.as_of(step.behind, self.operation.tool, self.args)
        if not step.commit:
            return self.service.call(self.operation.tool, self.args, ref=self.ref, commit=False)
        self.begun = not self.operation.is_async or step.promised
        try:
            ref = replace(self.ref, late=True) if step.late else self.ref
            answer = self.service.call(self.operation.tool, self.args, ref=ref)
        except Exception:
            self.done = True
            raise
        if self.operation.is_async:
            return self._noting_its_end(answer)
        self.done = True
        return answer

    async def _noting_its_end(self, answer: Awaitable[Any]) -> Any:
        try:
            value = await answer
        except Exception:
            self.done = True
            raise
        self.done = True
        return value

    def bug(self, error: BaseException) -> None:
        """An operation raised what it should not have."""
        self.owner.bugs.append((self.operation.tool, error))

    def landed(self, outcome: Outcome) -> None:
        """Note what a late effect came to."""
        if self.owner.recorder is not None:
            self.owner.recorder.record(
                Landed(call=self.ref.id, form=outcome.form, error=outcome.error, detail=outcome.detail)
            )

    def fault_in_words(self) -> str:
        """The fault that fired at this call, if one did."""
        rule = self.decision.rule
        return f", {rule.kind}({rule.phase})" if rule is not None and self.happened else ""

    def _draw(self, name: str) -> float:
        return self.owner.draw(self.decision.point, name)

    def _fire(self, rule: Rule, action: Action) -> None:
        self.happened = True
        self.owner.fired[rule.id] += 1
        if action.remove:
            self.owner.removed.add(self.operation.tool)

    def _abandon(self) -> None:
        """Note that the caller has given up, and how the operation stands."""
        if self.owner.recorder is not None:
            standing = "done" if self.done else "late" if self.later else "running" if self.begun else "not_run"
            self.owner.recorder.record(Abandoned(call=self.ref.id, told=self.caller.told(), operation=standing))

    def _finish(self, rule: Rule | None, form: str, outcome: Outcome | None = None, error: str | None = None) -> None:
        self.owner.answered.add(self.ref.id)
        self.owner._open.pop(self.ref.id, None)  # noqa: SLF001 - two halves of one room
        recorder = self.owner.recorder
        if recorder is None:
            return
        if rule is not None:
            target = self.operation.target
            recorder.record(_faulted(self.ref.id, rule, target, self.decision, fired=self.happened))
        latency = round((self.clock.elapsed() - self.began) * 1000, 3)
        if outcome is None:
            recorder.record(ToolResult(call=self.ref.id, ok=False, form=form, error=error, latency_ms=latency))
        else:
            recorder.record(_answered(self.ref.id, outcome, latency, self.service.revision))


def _kept(args: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments as they are now: what an agent does to them later must reach neither ledger nor late effects."""
    if not any(isinstance(value, dict | list) for value in args.values()):
        return dict(args)
    try:
        return deepcopy(dict(args))
    except Exception:  # noqa: BLE001 - whatever an agent passes that cannot be copied is the operation's to refuse
        return args


def _faulted(call: int, rule: Rule, target: Target, decision: Decision, *, fired: bool) -> Faulted:
    return Faulted(
        call=call,
        rule=rule.id,
        fault=rule.kind,
        target=target.name,
        phase=rule.phase,
        fired=fired,
        drawn=decision.drawn,
        params=dict(rule.params),
    )


def _called(number: int, target: Target, point: Point, args: Mapping[str, Any], masked: list[str]) -> ToolCall:
    return ToolCall(
        call=number,
        tool=target.tool,
        target=target.name,
        access=target.access,
        args=args,
        scope=point.scope,
        digest=point.digest,
        nth=point.nth,
        attempt=point.attempt,
        masked=masked,
    )


def _answered(number: int, outcome: Outcome, latency_ms: float, revision: int) -> ToolResult:
    return ToolResult(
        call=number,
        ok=outcome.ok,
        form=outcome.form,
        result=outcome.value,
        error=outcome.error,
        status=outcome.status,
        retry_after=outcome.retry_after,
        latency_ms=latency_ms,
        world_rev=revision,
        detail=outcome.detail,
    )
