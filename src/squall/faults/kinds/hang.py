"""`hang`: no reply, ever; the run's limits end it."""

from __future__ import annotations

from squall.call import Outcome, Target
from squall.faults.kind import Action, Draw, Kind, Params


def _act(_params: Params, _draw: Draw, _target: Target) -> Action:
    return Action(reply=Outcome("timeout", error="The request timed out.", status=504), forever=True)


KIND = Kind(
    name="hang",
    phase="after",
    act=_act,
    summary="No reply ever comes. A caller without a deadline waits until the run's limit ends the run as `hung`.",
    sees="MCP: the client's own read timeout fires; without one, nothing. Plain callables: nothing. "
    "On wall time the wait ends after `wall_cap`, with the reply of `timeout`.",
    example="payments.issue_refund: [{ kind: hang, nth: 1 }]",
)
