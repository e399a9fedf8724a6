"""`progress_only`: the server keeps saying that it works on the call, and no reply comes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from squall.call import Outcome, Target
from squall.faults.kind import Action, Draw, Kind, Params, Seconds

BEAT = 5.0
ANSWER_AFTER = 600.0


class ProgressOnlyParams(Params):
    """Parameters of `progress_only`."""

    beat: Annotated[Seconds, Field(gt=0)] = BEAT
    """The time between two notifications of progress."""
    answer_after: Seconds = ANSWER_AFTER
    """When a caller that still waits gets an error."""


def _act(params: ProgressOnlyParams, _draw: Draw, _target: Target) -> Action:
    reply = Outcome("timeout", error="The request timed out.", status=504)
    stated = "answer_after" in params.model_fields_set
    return Action(reply=reply, wait=params.answer_after, stated=stated, beat=params.beat)


KIND = Kind(
    name="progress_only",
    phase="after",
    act=_act,
    params=ProgressOnlyParams,
    summary="The server reports progress again and again, and no reply comes.",
    sees="MCP: notifications of progress, if the client asked for them, each `beat` seconds; then its own read "
    "timeout, unless progress keeps that from firing; without one, a tool error after `answer_after`. "
    "Plain callables: `TimeoutError` after `answer_after`.",
    example="payments.issue_refund: [{ kind: progress_only, nth: 1, beat: 2s }]",
)
