"""`timeout`: the reply does not come in time, and the caller's own deadline decides how that ends."""

from __future__ import annotations

from squall.call import Outcome, Target
from squall.faults.kind import Action, Draw, Kind, Params, Seconds

ANSWER_AFTER = 60.0


class TimeoutParams(Params):
    """Parameters of `timeout`."""

    answer_after: Seconds = ANSWER_AFTER
    """When a caller that still waits gets an error; one with a shorter deadline has given up before."""


def _act(params: TimeoutParams, _draw: Draw, _target: Target) -> Action:
    reply = Outcome("timeout", error="The request timed out.", status=504)
    return Action(reply=reply, wait=params.answer_after, stated="answer_after" in params.model_fields_set)


KIND = Kind(
    name="timeout",
    phase="after",
    act=_act,
    params=TimeoutParams,
    summary="The request is taken, and no reply comes in time.",
    sees="MCP: the client's own read timeout fires; without one, a tool error after `answer_after`. "
    "Plain callables: `TimeoutError` after `answer_after`.",
    example="payments.issue_refund: { errors: { timeout: 0.1 } }",
)
