"""Follows the steps of a call: once for sync code, once for async. Decides nothing."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any, Protocol

from squall.call import CallRef, Outcome
from squall.clock import Clock
from squall.clock.real import running_loop
from squall.errors import UsageError
from squall.interpose.attempt import failed, outcome_of
from squall.interpose.service import Operation, Service
from squall.interpose.steps import Later, Run, Step, Steps, Wait

if TYPE_CHECKING:
    import asyncio

NOTHING = Outcome("value")
FOREVER = 1e9  # seconds; far beyond any limit of a run, so that waiting for it ends at the limit
STRAGGLERS: set[asyncio.Task[Any]] = set()  # a loop holds its tasks weakly; these must live until they are done


class Subject(Protocol):
    """The call whose steps are followed."""

    operation: Operation
    service: Service
    clock: Clock
    ref: CallRef

    def run(self, step: Run) -> Any:
        """The operation's answer, or an awaitable of it."""
        ...

    def bug(self, error: Exception) -> None:
        """Take note of an exception that an operation should not have raised."""
        ...


def drive(call: Subject, steps: Steps) -> Outcome:
    """Follow `steps` to their end in sync code."""
    try:
        step = next(steps)
        while True:
            try:
                answer = _serve(call, step)
            except BaseException as error:  # noqa: BLE001 - the steps decide what must still happen; they raise it on
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as stop:
        result: Outcome = stop.value
        return result


async def adrive(call: Subject, steps: Steps) -> Outcome:
    """Follow `steps` to their end in async code."""
    try:
        step = next(steps)
        while True:
            try:
                if isinstance(step, Wait):
                    await call.clock.asleep(_length(step), capped=step.capped or step.forever)
                    answer = NOTHING
                elif isinstance(step, Run) and call.operation.is_async:
                    answer = await _arun(call, step)
                else:
                    answer = _serve(call, step)
            except BaseException as error:  # noqa: BLE001 - a cancellation, mostly; the steps decide what must still happen
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except StopIteration as stop:
        result: Outcome = stop.value
        return result


def _serve(call: Subject, step: Step) -> Outcome:
    if isinstance(step, Run):
        return outcome_of(lambda: _finished(call.run(step)), call.bug)
    if isinstance(step, Later):
        call.service.later(step.seconds, lambda: _land(call))
    else:
        call.clock.sleep(_length(step), capped=step.capped or step.forever)
    return NOTHING


def _length(step: Wait) -> float:
    return FOREVER if step.forever else step.seconds


async def _arun(call: Subject, step: Run) -> Outcome:
    """An async operation. What a phase promises goes on in a task of its own when the request is cancelled."""
    if not step.promised:
        return await _attempt(call, step)
    import asyncio  # loaded long since: this runs in its loop

    return await asyncio.shield(_keep(asyncio.ensure_future(_attempt(call, step))))


async def _attempt(call: Subject, step: Run) -> Outcome:
    try:
        return Outcome("value", await call.run(step))
    except Exception as error:  # noqa: BLE001 - sorted into refusals and bugs
        return failed(error, call.bug)


def _keep(task: asyncio.Task[Outcome]) -> asyncio.Task[Outcome]:
    STRAGGLERS.add(task)
    task.add_done_callback(STRAGGLERS.discard)
    return task


def _land(call: Subject) -> None:
    """Let a late effect land."""
    loop = running_loop()
    if call.operation.is_async and loop is not None:
        STRAGGLERS.add(task := loop.create_task(_attempt(call, Run())))
        task.add_done_callback(STRAGGLERS.discard)
    else:
        outcome_of(lambda: _finished(call.run(Run())), call.bug)


def _finished(value: Any) -> Any:
    """The value itself, or that of an awaitable, run to its end here."""
    if not inspect.isawaitable(value):
        return value
    if running_loop() is not None:
        if inspect.iscoroutine(value):
            value.close()
        message = "a sync call was made to an async operation inside a running loop; use `await tools.aio.NAME(…)`"
        raise UsageError(message)
    import asyncio  # here alone: a run without async operations never pays for it

    async def whole() -> Any:
        return await value

    return asyncio.run(whole())
