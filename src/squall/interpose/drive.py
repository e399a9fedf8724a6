"""Follows the steps of a call: once for sync code, once for async. Decides nothing."""

from __future__ import annotations

import inspect
from functools import partial
from typing import Any, Protocol

from squall.call import CallRef, Outcome
from squall.clock import Clock
from squall.clock.real import running_loop
from squall.errors import is_weather
from squall.interpose.attempt import OWN, failed, outcome_of
from squall.interpose.caller import Caller
from squall.interpose.promises import Promises, to_its_end
from squall.interpose.service import Operation, Service
from squall.interpose.steps import LATE, Answer, Later, Run, Step, Steps, Wait

NOTHING = Outcome("value")
PLAIN = frozenset({dict, list, str, int, float, bool, type(None)})
"""What most operations answer with; to ask whether a thing is awaitable takes longer."""
FOREVER = 1e9  # seconds; far beyond any limit of a run, so that waiting for it ends at the limit
__tracebackhide__ = is_weather


class Closed(BaseException):
    """The coroutine of the caller was closed while it waited, as those are that outlive their loop."""


class Left(BaseException):
    """The run ended while a call waited."""


class Subject(Protocol):
    """The call whose steps are followed."""

    operation: Operation
    service: Service
    clock: Clock
    ref: CallRef
    promises: Promises
    caller: Caller
    later: bool

    def run(self, step: Run) -> Any:
        """The operation's answer, or an awaitable of it."""
        ...

    def bug(self, error: BaseException) -> None:
        """Take note of an exception that an operation should not have raised."""
        ...

    def landed(self, outcome: Outcome) -> None:
        """Take note of what a late effect came to; nobody else hears of it."""
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
                    await _await(call, step)
                    answer = NOTHING
                elif isinstance(step, Run) and call.operation.is_async:
                    answer = await _arun(call, step)
                else:
                    answer = _serve(call, step)
            except GeneratorExit:  # thrown into the steps, it would close the generator that tells them
                step = steps.throw(Closed())
            except BaseException as error:  # noqa: BLE001 - a cancellation, mostly; the steps decide what must still happen
                step = steps.throw(error)
            else:
                step = steps.send(answer)
    except Closed:
        raise GeneratorExit from None
    except StopIteration as stop:
        result: Outcome = stop.value
        return result


def leave(call: Subject, steps: Steps) -> None:
    """The run is over and the call still waits: what its phase promises happens, and it is recorded as it stands."""
    try:
        step = steps.throw(Left())
        while True:
            step = steps.send(_serve(call, step))
    except (StopIteration, Left):
        return
    except ValueError:  # another thread is in the middle of it; it finds the run closed
        return


def _serve(call: Subject, step: Step) -> Outcome:
    if isinstance(step, Run):
        return outcome_of(lambda: _finished(call.run(step)), call.bug)
    if isinstance(step, Later):
        call.later = True
        call.service.later(step.seconds, lambda: _land(call))
    elif isinstance(step, Answer):
        call.clock.call_at(call.clock.elapsed() + step.seconds, partial(call.caller.answer, step.outcome))
    else:
        call.clock.sleep(_length(step), capped=step.capped or step.forever)
    return NOTHING


async def _await(call: Subject, step: Wait) -> None:
    length, capped = _length(step), step.capped or step.forever
    if not step.beat:
        await call.clock.asleep(length, capped=capped)
        return
    whole = call.clock.bounded(length) if capped else length
    left, beat, count = whole, step.beat * whole / length, 0
    while left > 0:
        await call.clock.asleep(min(beat, left))
        left, count = left - beat, count + 1
        await call.caller.progress(count)


def _length(step: Wait) -> float:
    return FOREVER if step.forever else step.seconds


async def _arun(call: Subject, step: Run) -> Outcome:
    """An async operation. What a phase promises goes on in a task of its own when the request is cancelled."""
    loop = running_loop()
    if (
        loop is None or not step.promised
    ):  # without a loop of asyncio's: the operation runs in whatever it is written for
        return await _attempt(call, step)
    task = call.promises.begin(lambda: _attempt(call, step), loop)
    if step.alone:
        return NOTHING
    import asyncio  # loaded long since: this runs in its loop

    return await asyncio.shield(task)


async def _attempt(call: Subject, step: Run) -> Outcome:
    try:
        return Outcome("value", await call.run(step))
    except OWN as error:  # sorted into refusals and bugs
        return failed(error, call.bug)


def _land(call: Subject) -> None:
    """Let a late effect land: as a part of the running loop, or at once where the world settles."""
    loop = running_loop()
    if call.operation.is_async and loop is not None and not call.service.settling:
        call.promises.begin(lambda: _landing(call), loop)  # type: ignore[unused-awaitable]  # it is kept there
    else:
        call.landed(outcome_of(lambda: _finished(call.run(LATE)), call.bug))


async def _landing(call: Subject) -> Outcome:
    outcome = await _attempt(call, LATE)
    call.landed(outcome)
    return outcome


def _finished(value: Any) -> Any:
    """The value itself, or that of an awaitable, run to its end here."""
    if type(value) in PLAIN or not inspect.isawaitable(value):
        return value

    async def whole() -> Any:
        return await value

    return to_its_end(whole())
