"""`late_reply`: the reply is the right one, and comes when the caller has given up."""

from __future__ import annotations

from squall.call import Target
from squall.faults.kind import Action, Draw, Kind, Params, Seconds

ANSWER_AFTER = 60.0
GONE_FOR = 1.0


class LateReplyParams(Params):
    """Parameters of `late_reply`."""

    answer_after: Seconds = ANSWER_AFTER
    """When a caller that still waits gets its reply; one with a shorter deadline has given up before."""
    gone_for: Seconds = GONE_FOR
    """How long after a caller gave up the reply is sent all the same."""


def _act(params: LateReplyParams, _draw: Draw, _target: Target) -> Action:
    stated = "answer_after" in params.model_fields_set
    return Action(wait=params.answer_after, stated=stated, afterwards=params.gone_for)


KIND = Kind(
    name="late_reply",
    phase="after",
    act=_act,
    params=LateReplyParams,
    summary="The operation runs, and its reply is held back until the caller has given up, and then sent.",
    sees="MCP: the client's own read timeout fires; on stdio and in a session in process, a reply to the abandoned "
    "request arrives later, which the client must ignore. Over HTTP, and where the protocol has no sessions, giving up "
    "closes what the reply would come through. A caller without a deadline gets the right reply after `answer_after`. "
    "Plain callables: the right value, after `answer_after`.",
    example="payments.issue_refund: [{ kind: late_reply, nth: 1, answer_after: 90s }]",
)
