"""`content_filter`: the provider's filter stops the reply."""

from __future__ import annotations

from typing import Annotated

from msgspec.structs import replace
from pydantic import Field

from squall.call import STREAMING, ModelRequest, Reply, Target
from squall.faults.at_model import Alter
from squall.faults.kind import Draw, Params, at_model


class ContentFilterParams(Params):
    """Parameters of `content_filter`."""

    keep: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """The share of the text that is let through."""


def _act(params: ContentFilterParams, _draw: Draw, _target: Target) -> Alter:
    def change(reply: Reply, _request: ModelRequest) -> Reply | None:
        if reply.finish == "content_filter":
            return None
        text = reply.text or ""
        return replace(
            reply, text=text[: int(len(text) * params.keep)], calls=(), refusal=None, finish="content_filter"
        )

    return Alter(change)


KIND = at_model(
    "content_filter",
    "reply",
    _act,
    params=ContentFilterParams,
    targets=STREAMING,
    summary="The provider's filter stops the reply: little or no text, no calls, and a reason that says so.",
    sees='openai: `finish_reason == "content_filter"` (of a response: `incomplete_details`). '
    'anthropic: `stop_reason == "refusal"`. No error is raised but by `parse()` of openai '
    "(`ContentFilterFinishReasonError`; of a response pydantic's `ValidationError`).",
    example="model.chat: [{ kind: content_filter, nth: 2 }]",
)
