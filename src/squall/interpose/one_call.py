"""One call on its way: what happens to it in which order, and what is recorded of it."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from squall.call import CallRef, Outcome
from squall.decide import Rule
from squall.errors import LimitReached, is_weather
from squall.faults import Action
from squall.interpose.caller import SILENT, Caller
from squall.interpose.drive import Left
from squall.interpose.records import answered, called, faulted
from squall.interpose.service import Operation
from squall.interpose.steps import Run, Steps, calm, fault, refuse
from squall.trace.kinds import Abandoned, Landed, ToolResult

if TYPE_CHECKING:
    from squall.interpose.interposer import Interposer

__tracebackhide__ = is_weather


class OneCall:
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
        owner._note_ways(number, caller)  # noqa: SLF001 - as above
        self.happened = self.begun = self.done = self.later = False
        self.going = self.steps()
        owner._open[number] = self  # noqa: SLF001 - as above
        if owner.recorder is not None:
            owner.recorder.record(called(number, operation.target, self.decision.point, args, masked))

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
            recorder.record(faulted(self.ref.id, rule, target, self.decision, fired=self.happened))
        latency = round((self.clock.elapsed() - self.began) * 1000, 3)
        if outcome is None:
            recorder.record(ToolResult(call=self.ref.id, ok=False, form=form, error=error, latency_ms=latency))
        else:
            recorder.record(answered(self.ref.id, outcome, latency, self.service.revision))


def _kept(args: Mapping[str, Any]) -> Mapping[str, Any]:
    """The arguments as they are now: what an agent does to them later must reach neither ledger nor late effects."""
    for value in args.values():
        if isinstance(value, dict | list):
            break
    else:
        return dict(args)
    try:
        return deepcopy(dict(args))
    except Exception:  # noqa: BLE001 - whatever an agent passes that cannot be copied is the operation's to refuse
        return args
