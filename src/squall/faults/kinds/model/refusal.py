"""`refusal`: the model will not do it."""

from __future__ import annotations

from msgspec.structs import replace

from squall.call import STREAMING, ModelRequest, Reply, Target
from squall.faults.at_model import Alter
from squall.faults.kind import Draw, Params, at_model


class RefusalParams(Params):
    """Parameters of `refusal`."""

    text: str = "I'm sorry, but I can't assist with that."
    """What it says."""


def _act(params: RefusalParams, _draw: Draw, _target: Target) -> Alter:
    def change(reply: Reply, _request: ModelRequest) -> Reply | None:
        if reply.refusal is not None:
            return None
        return replace(reply, text=None, calls=(), refusal=params.text, finish="refusal")

    return Alter(change)


KIND = at_model(
    "refusal",
    "reply",
    _act,
    params=RefusalParams,
    targets=STREAMING,
    summary="The model refuses in place of what it would have said or called.",
    sees='openai: the text in `refusal`, and `content` is None. anthropic: `stop_reason == "refusal"`.',
    example="model.messages: { errors: { refusal: 0.05 } }",
)
