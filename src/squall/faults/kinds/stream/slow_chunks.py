"""`slow_chunks`: a stream trickles."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from squall.call import STREAMING, Target
from squall.faults.at_model import Pace
from squall.faults.kind import Draw, Params, Seconds, at_model


class SlowChunksParams(Params):
    """Parameters of `slow_chunks`."""

    seconds: Annotated[Seconds, Field(gt=0)] = 2.0
    """The time before each chunk but the first."""


def _act(params: SlowChunksParams, _draw: Draw, _target: Target) -> Pace:
    return Pace(params.seconds, stated="seconds" in params.model_fields_set)


KIND = at_model(
    "slow_chunks",
    "pace",
    _act,
    params=SlowChunksParams,
    targets=STREAMING,
    summary="There is a wait before each chunk of a stream.",
    sees="openai and anthropic: the ordinary chunks, late. Their deadline is for each read, so that it fires only "
    "where one wait is longer.",
    example="model.*: { errors: { slow_chunks: { probability: 0.1, seconds: 10s } } }",
)
