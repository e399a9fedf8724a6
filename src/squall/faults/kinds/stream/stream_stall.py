"""`stream_stall`: a stream falls silent for a while."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from squall.call import STREAMING, Target
from squall.faults.at_model import AtChunk
from squall.faults.kind import Draw, Params, Seconds, at_model
from squall.faults.streams import AFTER, Chunks


class StreamStallParams(Params):
    """Parameters of `stream_stall`."""

    after: Chunks = AFTER
    """After how many chunks; the one that holds the role alone counts."""
    seconds: Annotated[Seconds, Field(gt=0)] = 60.0
    """How long nothing comes; then the stream goes on."""


def _act(params: StreamStallParams, _draw: Draw, _target: Target) -> AtChunk:
    return AtChunk("stall", params.after, seconds=params.seconds, stated="seconds" in params.model_fields_set)


KIND = at_model(
    "stream_stall",
    "end",
    _act,
    params=StreamStallParams,
    targets=STREAMING,
    summary="A stream falls silent, and goes on after a while.",
    sees="openai: `APITimeoutError` where the client's read timeout is shorter. anthropic: httpx2's own `ReadTimeout`. "
    "litellm: `Timeout` over openai, `MidStreamFallbackError` over anthropic. Else the ordinary reply, late.",
    example="model.chat: [{ kind: stream_stall, nth: 1, after: 3, seconds: 2m }]",
)
