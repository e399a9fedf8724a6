"""`clean_eof`: a stream ends in order, and never says that the reply is complete."""

from __future__ import annotations

from squall.call import STREAMING, Target
from squall.faults.at_model import AtChunk
from squall.faults.kind import Draw, Params, at_model
from squall.faults.streams import Chunks


class CleanEofParams(Params):
    """Parameters of `clean_eof`."""

    after: Chunks | None = None
    """After how many chunks; all but the terminal events where it is not given."""


def _act(params: CleanEofParams, _draw: Draw, _target: Target) -> AtChunk:
    return AtChunk("clean_eof", params.after)


KIND = at_model(
    "clean_eof",
    "end",
    _act,
    params=CleanEofParams,
    targets=STREAMING,
    summary="The body of a stream ends in order, without the events that say that the reply is complete.",
    sees="openai and anthropic: nothing at all; the text so far looks like all of it (`responses.stream()` alone "
    "raises `RuntimeError`). So do ChatOpenAI, ChatAnthropic, pydantic-ai's `run_stream` and openai-agents over chat. "
    "litellm raises `MidStreamFallbackError`, and openai-agents over responses `ModelBehaviorError`. Within a "
    "call's arguments anthropic's `.stream()`, ChatOpenAI and ChatAnthropic hold a valid call with fewer of them.",
    example="model.*: [{ kind: clean_eof, nth: 1 }]",
)
