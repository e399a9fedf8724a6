"""What one call does, step by step, without doing it: a generator that asks for waits and for runs of the operation.

So the order of things is written once, and both the sync and the async driver follow it. Order: latency, then what was
decided (conditional fault, rate limit, drawn or counted fault), then the operation, by the phase.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import Any

import msgspec

from squall.call import Outcome
from squall.decide import Decision
from squall.errors import is_weather
from squall.faults import Action, Bound
from squall.faults.status import status_text

TOO_MANY = 429
__tracebackhide__ = is_weather


class Wait(msgspec.Struct, frozen=True):
    """Let time pass. `capped`: nobody stated this length, so wall time may cut it; `forever`: until the run's limit.

    `beat`: every so many seconds of it the caller gets a sign of life.
    """

    seconds: float
    capped: bool = False
    forever: bool = False
    beat: float = 0.0


class Run(msgspec.Struct, frozen=True):
    """Run the operation; the driver sends the outcome back. `commit=False` is a dry run; `behind` reads the past.

    `promised`: a phase says that the effect happens, so a cancelled request must not stop it half-way. `alone`: the
    caller has gone already, and nobody waits for the answer. `late`: it was answered long ago.
    """

    commit: bool = True
    behind: int = 0
    promised: bool = False
    alone: bool = False
    late: bool = False


class Later(msgspec.Struct, frozen=True):
    """Land the effect in so many seconds, by the clock, whatever becomes of the request."""

    seconds: float


class Answer(msgspec.Struct, frozen=True):
    """Send a reply in so many seconds although the caller has given up."""

    outcome: Outcome
    seconds: float


LATE = Run(late=True)
GONE = Run(promised=True, alone=True)
NOBODY = Outcome("value")  # what nobody waits for
Step = Wait | Run | Later | Answer
Steps = Generator[Step, Outcome, Outcome]


def calm(decision: Decision) -> Steps:
    """A call without a fault: its latency, then the operation."""
    if decision.latency:
        yield Wait(decision.latency)
    return (yield Run())


def refuse(decision: Decision) -> Steps:
    """A call over the rate limit."""
    if decision.latency:
        yield Wait(decision.latency)
    seconds = math.ceil(decision.retry_after or 0.0)
    text = status_text(TOO_MANY, retry_after=seconds)
    return Outcome("refused", error=text, status=TOO_MANY, retry_after=seconds)


def fault(decision: Decision, phase: str, bound: Bound, action: Action, fired: Callable[[], None]) -> Steps:
    """A call with a fault. `fired` is called when it is certain that the fault happens."""
    if decision.latency:
        try:
            yield Wait(decision.latency)
        except BaseException:
            yield from _abandoned(phase, bound, action, fired)
            raise
    if action.behind:
        return (yield from _read_behind(action, fired))
    if action.deliveries > 1:
        return (yield from _deliver_twice(phase, bound, fired))
    if action.change is not None:
        return (yield from _change(phase, bound, action, action.change, fired))
    fired()
    return (yield from _by_phase(phase, bound, action))


def _abandoned(phase: str, bound: Bound, action: Action, fired: Callable[[], None]) -> Steps:
    """A caller that gave up during the latency has still sent its request: what the phase promises happens.

    A reply that nobody gets cannot be changed, so that such a fault has not fired.
    """
    if phase == "before":
        return NOBODY
    if action.change is None and not action.behind:
        fired()
    if phase == "after" or action.deliveries > 1:
        yield GONE
    if phase == "late":
        yield Later(bound.params.late_by)
    elif action.deliveries > 1:
        yield GONE
    return NOBODY


def _by_phase(phase: str, bound: Bound, action: Action) -> Steps:
    wait = Wait(action.wait, capped=not action.stated, forever=action.forever, beat=action.beat)
    own: Outcome | None = None
    if phase == "after":
        own = yield Run(promised=True)
    try:
        if phase == "late" and action.reply is None:
            own = yield Run(commit=False)
        if wait.seconds or wait.forever:
            yield wait
    except BaseException:
        if own is not None and action.afterwards is not None:
            yield Answer(own, action.afterwards)
        raise
    finally:
        if phase == "late":
            yield Later(bound.params.late_by)
    if action.reply is not None:
        return action.reply
    return own if own is not None else (yield Run())


def _change(
    phase: str, bound: Bound, action: Action, change: Callable[[Outcome], Any], fired: Callable[[], None]
) -> Steps:
    """The reply is altered; where it cannot be, nothing fired and the operation runs as ever."""
    try:
        own = yield Run(commit=phase == "after", promised=phase == "after")
    except BaseException:
        if phase == "late":
            yield Later(bound.params.late_by)
        raise
    changed: Outcome | None = change(own)
    if changed is None:
        return own if phase == "after" else (yield Run())
    fired()
    if phase == "late":
        yield Later(bound.params.late_by)
    if action.wait:
        yield Wait(action.wait, capped=not action.stated)
    return changed


def _read_behind(action: Action, fired: Callable[[], None]) -> Steps:
    fresh = yield Run()
    stale = yield Run(commit=False, behind=action.behind)
    if stale == fresh:
        return fresh
    fired()
    return stale


def _deliver_twice(phase: str, bound: Bound, fired: Callable[[], None]) -> Steps:
    again = Later(bound.params.late_by) if phase == "late" else GONE
    fired()
    try:
        first = yield Run(promised=True)
    except BaseException:
        yield again
        raise
    if phase == "late":
        yield again
        return first
    second = yield Run(promised=True)
    return second if phase == "before" else first
