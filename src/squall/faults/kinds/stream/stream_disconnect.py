"""`stream_disconnect`: the connection goes in the middle of a stream."""

from __future__ import annotations

from typing import Literal

from squall.call import STREAMING, Target
from squall.faults.at_model import AtChunk
from squall.faults.kind import Draw, Params, at_model
from squall.faults.streams import AFTER, Chunks


class StreamDisconnectParams(Params):
    """Parameters of `stream_disconnect`."""

    after: Chunks = AFTER
    """After how many chunks; the one that holds the role alone counts."""
    how: Literal["fin", "reset"] = "fin"
    """Whether the connection is closed within the body, or broken."""


def _act(params: StreamDisconnectParams, _draw: Draw, _target: Target) -> AtChunk:
    return AtChunk("disconnect" if params.how == "fin" else "reset", params.after)


KIND = at_model(
    "stream_disconnect",
    "end",
    _act,
    params=StreamDisconnectParams,
    targets=STREAMING,
    summary="The connection ends in the middle of a stream.",
    sees="openai: `APIConnectionError` out of the stream. anthropic: httpx2's own `RemoteProtocolError` or "
    "`ReadError`. Neither tries again. Where it comes within a call's arguments, anthropic's `.stream()` holds a valid "
    "call with fewer of them.",
    example="model.chat: [{ kind: stream_disconnect, nth: 1, after: 3 }]",
)
