"""`duplicate_delivery`: one request arrives twice, and the operation runs twice."""

from __future__ import annotations

from squall.call import Target
from squall.faults.kind import Action, Draw, Kind, Params


def _act(_params: Params, _draw: Draw, _target: Target) -> Action:
    return Action(deliveries=2)


KIND = Kind(
    name="duplicate_delivery",
    phase="after",
    act=_act,
    access=("write",),
    summary="The request is delivered twice. `before`: the copy comes first, and the caller hears of the second run; "
    "`after`: the caller hears of the first; `late`: the copy arrives `late_by` after the reply.",
    sees="MCP and plain callables: an ordinary result, or what the operation says to a repeated request. "
    "The world holds the effect of both deliveries.",
    example="payments.issue_refund: [{ kind: duplicate_delivery, nth: 1 }]",
)
