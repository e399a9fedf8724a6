"""`error_event`: a stream that began well tells of an error, and ends."""

from __future__ import annotations

from squall.call import STREAMING, Target
from squall.faults.at_model import AtChunk
from squall.faults.kind import Draw, Params, at_model
from squall.faults.status import ErrorStatus
from squall.faults.streams import AFTER, Chunks


class ErrorEventParams(Params):
    """Parameters of `error_event`."""

    after: Chunks = AFTER
    """After how many chunks; the one that holds the role alone counts."""
    status: ErrorStatus = 503
    """Of which status the error is that the event tells; 529 is Anthropic's word for overload."""


def _act(params: ErrorEventParams, _draw: Draw, _target: Target) -> AtChunk:
    return AtChunk("error_event", params.after, status=params.status)


KIND = at_model(
    "error_event",
    "end",
    _act,
    params=ErrorEventParams,
    targets=STREAMING,
    summary="After a 200 and some chunks the provider's event for an error comes, and the stream ends.",
    sees="openai: `APIError` out of the stream; of `responses` an event of the type `error`, and nothing is raised. "
    "anthropic: `APIStatusError`. openai-agents over responses: `ModelBehaviorError`. Nobody tries again.",
    example="model.messages: [{ kind: error_event, nth: 1, after: 4, status: 529 }]",
)
