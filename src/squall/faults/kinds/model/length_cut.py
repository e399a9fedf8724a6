"""`length_cut`: the reply breaks off where the limit on its tokens is reached."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from squall.call import STREAMING, ModelRequest, Reply, Target
from squall.faults.at_model import Alter
from squall.faults.kind import Draw, Params, at_model
from squall.faults.said import cut_short


class LengthCutParams(Params):
    """Parameters of `length_cut`."""

    keep: Annotated[float, Field(ge=0, lt=1)] = 0.5
    """The share of what is said (text first, then the arguments of calls) that arrives."""


def _act(params: LengthCutParams, _draw: Draw, _target: Target) -> Alter:
    def change(reply: Reply, _request: ModelRequest) -> Reply | None:
        return cut_short(reply, params.keep)

    return Alter(change)


KIND = at_model(
    "length_cut",
    "reply",
    _act,
    params=LengthCutParams,
    targets=STREAMING,
    summary="The reply breaks off, as if its limit of tokens were reached, and says so. Arguments of a call may be cut "
    "with it.",
    sees='openai: `finish_reason == "length"` (of a response: `status == "incomplete"`). '
    'anthropic: `stop_reason == "max_tokens"`. Neither raises, but for their `parse()`: openai of a chat '
    "`LengthFinishReasonError`, else pydantic `ValidationError`.",
    example="model.*: [{ kind: length_cut, nth: 1, keep: 0.3 }]",
)
