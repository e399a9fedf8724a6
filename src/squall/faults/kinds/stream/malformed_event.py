"""`malformed_event`: the JSON of one event of a stream is cut."""

from __future__ import annotations

from squall.call import STREAMING, Target
from squall.faults.at_model import AtChunk
from squall.faults.kind import Draw, Params, at_model
from squall.faults.streams import AFTER, Chunks


class MalformedEventParams(Params):
    """Parameters of `malformed_event`."""

    after: Chunks = AFTER
    """After how many chunks; the one that holds the role alone counts."""


def _act(params: MalformedEventParams, _draw: Draw, _target: Target) -> AtChunk:
    return AtChunk("malformed_event", params.after)


KIND = at_model(
    "malformed_event",
    "end",
    _act,
    params=MalformedEventParams,
    targets=STREAMING,
    summary="One event of a stream holds JSON that breaks off.",
    sees="openai and anthropic: `json.JSONDecodeError` out of the stream. litellm: `MidStreamFallbackError`. "
    "pydantic-ai: `ModelAPIError`. Nobody tries again.",
    example="model.chat: [{ kind: malformed_event, nth: 1, after: 3 }]",
)
