"""`lost`: an event is never delivered, though what caused it has happened."""

from __future__ import annotations

from squall.call import Target
from squall.faults.kind import Action, Draw, Kind, Params


def _act(_params: Params, _draw: Draw, _target: Target) -> Action:
    return Action(arrives=())


KIND = Kind(
    name="lost",
    phase="after",
    act=_act,
    wire="event",
    summary="An event is never delivered. What caused it stays as it is.",
    sees="Only what comes of it: no listener is told, and `world.events()` does not hold it.",
    example="orders.order_delivered: { errors: { lost: 0.05 } }",
)
