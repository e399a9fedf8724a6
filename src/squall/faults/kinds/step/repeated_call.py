"""`repeated_call`: the agent is told to make the same call again, as a model does that forgot that it had asked."""

from __future__ import annotations

from squall.call import Target
from squall.faults.kind import Action, Draw, Kind, Params


def _act(_params: Params, _draw: Draw, _target: Target) -> Action:
    return Action(deliveries=2)


KIND = Kind(
    name="repeated_call",
    phase="after",
    act=_act,
    summary="A step that is done is asked for once more.",
    sees="`env.steps()` gives the same step again, with the same `index`. `repeat` says how often.",
    example='[[faults]]\nkind = "repeated_call"\nstep = 1',
)
