"""`delay`: an event is delivered late, and others may overtake it."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from squall.call import Target
from squall.faults.kind import Action, Draw, Kind, Params, Seconds


class DelayParams(Params):
    """Parameters of `delay`."""

    seconds: Annotated[Seconds, Field(gt=0)] = 60.0
    """How long after it was emitted the event is delivered."""


def _act(params: DelayParams, _draw: Draw, _target: Target) -> Action:
    return Action(arrives=(params.seconds,))


KIND = Kind(
    name="delay",
    phase="after",
    act=_act,
    params=DelayParams,
    wire="event",
    summary="An event is delivered late. Events that are emitted meanwhile come before it.",
    sees="Only what comes of it: listeners are told late. What is still under way when the run ends lands then.",
    example="orders.order_delivered: { errors: { delay: { probability: 0.1, seconds: 5m } } }",
)
