"""`duplicate`: an event is delivered twice, as a queue that promises "at least once" may do."""

from __future__ import annotations

from squall.call import Target
from squall.faults.kind import Action, Draw, Kind, Params, Seconds


class DuplicateParams(Params):
    """Parameters of `duplicate`."""

    after: Seconds = 0.0
    """How long after the first delivery the second one comes."""


def _act(params: DuplicateParams, _draw: Draw, _target: Target) -> Action:
    return Action(arrives=(0.0, params.after))


KIND = Kind(
    name="duplicate",
    phase="after",
    act=_act,
    params=DuplicateParams,
    wire="event",
    summary="An event is delivered twice, with the same `id`.",
    sees="Only what comes of it: listeners are told twice, and `world.events()` holds the event twice.",
    example="orders.order_delivered: [{ kind: duplicate, nth: 1, after: 30s }]",
)
