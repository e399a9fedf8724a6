"""`duplicate_task`: the whole task is handed over twice, as a queue does that delivers at least once."""

from __future__ import annotations

from squall.call import Target
from squall.faults.kind import Action, Draw, Kind, Params


def _act(_params: Params, _draw: Draw, _target: Target) -> Action:
    return Action(deliveries=2)


KIND = Kind(
    name="duplicate_task",
    phase="after",
    act=_act,
    summary="The steps of a task that is done are asked for once more, all of them.",
    sees="`env.steps()` begins anew after the last step.",
    example='[[faults]]\nkind = "duplicate_task"',
)
