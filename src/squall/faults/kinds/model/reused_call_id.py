"""`reused_call_id`: the id of a call is one that another call has already."""

from __future__ import annotations

import string
from typing import Literal

from msgspec.structs import replace

from squall.call import STREAMING, ModelRequest, Reply, Target
from squall.faults.at_model import Alter
from squall.faults.kind import Draw, Params, at_model

SIGNS = string.digits + string.ascii_letters
LENGTH = 24
PREFIXES = {"model.messages": "toolu_01"}
PREFIX = "call_"


class ReusedCallIdParams(Params):
    """Parameters of `reused_call_id`."""

    of: Literal["conversation", "reply"] | None = None
    """Whose id it is: that of an earlier call in the conversation, or of another in the same reply. Where it is not
    given: an earlier one's, if there is one."""


def _act(params: ReusedCallIdParams, draw: Draw, target: Target) -> Alter:
    def change(reply: Reply, request: ModelRequest) -> Reply | None:
        first, *others = reply.calls or (None,)
        earlier = [call.id for message in request.messages for call in message.calls if call.id is not None]
        if first is not None and earlier and params.of != "reply":
            return replace(reply, calls=(replace(first, id=earlier[-1]), *reply.calls[1:]))
        if first is not None and others and params.of != "conversation":
            same = first.id or _id(draw, target)
            return replace(reply, calls=(replace(first, id=same), replace(reply.calls[1], id=same), *reply.calls[2:]))
        return None

    return Alter(change)


def _id(draw: Draw, target: Target) -> str:
    signs = (SIGNS[int(draw(f"id {place}") * len(SIGNS))] for place in range(LENGTH))
    return PREFIXES.get(target.name, PREFIX) + "".join(signs)


KIND = at_model(
    "reused_call_id",
    "reply",
    _act,
    params=ReusedCallIdParams,
    targets=STREAMING,
    summary="A call has the id of an earlier call in the conversation, or two calls of one reply have the same.",
    sees="openai and anthropic: ordinary calls. Who keeps results by id alone answers the wrong one, and a strict "
    "provider refuses the conversation from then on.",
    example="model.chat: [{ kind: reused_call_id, nth: 2 }]",
)
