"""`empty_content`: the model ends its turn, and its text is empty."""

from __future__ import annotations

from msgspec.structs import replace

from squall.call import STREAMING, ModelRequest, Reply, Target
from squall.faults.at_model import Alter
from squall.faults.kind import Draw, Params, at_model


def _change(reply: Reply, _request: ModelRequest) -> Reply | None:
    if not (reply.text or reply.calls or reply.refusal):
        return None
    return replace(reply, text="", calls=(), refusal=None, finish="stop")


def _act(_params: Params, _draw: Draw, _target: Target) -> Alter:
    return Alter(_change)


KIND = at_model(
    "empty_content",
    "reply",
    _act,
    targets=STREAMING,
    summary="The model says that it is done, with an empty text and no calls.",
    sees='openai: `content == ""` and `finish_reason == "stop"`. anthropic: no text, `stop_reason == "end_turn"`.',
    example="model.*: { errors: { empty_content: 0.02 } }",
)
