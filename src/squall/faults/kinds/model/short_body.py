"""`short_body`: the connection ends before all of the body has come that was promised."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from squall.call import Target
from squall.faults.at_model import Shorten
from squall.faults.kind import Draw, Params, at_model


class ShortBodyParams(Params):
    """Parameters of `short_body`."""

    share: Annotated[float, Field(ge=0, lt=1)] = 0.5
    """The share of the bytes that arrives."""


def _act(params: ShortBodyParams, _draw: Draw, _target: Target) -> Shorten:
    return Shorten(params.share)


KIND = at_model(
    "short_body",
    "end",
    _act,
    params=ShortBodyParams,
    summary="The head of a whole answer promises more bytes than come before the connection is closed. For streams "
    "there is `stream_disconnect`.",
    sees="openai and anthropic: `APIConnectionError`, after two more tries.",
    example="model.chat: [{ kind: short_body, nth: 1, share: 0.8 }]",
)
