"""`ping_only`: a stream gives signs of life, and nothing else."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from squall.call import STREAMING, Target
from squall.faults.at_model import AtChunk
from squall.faults.kind import Draw, Params, Seconds, at_model
from squall.faults.streams import AFTER, Chunks


class PingOnlyParams(Params):
    """Parameters of `ping_only`."""

    after: Chunks = AFTER
    """After how many chunks; the one that holds the role alone counts."""
    beat: Annotated[Seconds, Field(gt=0)] = 30.0
    """The time before each sign of life."""
    signs: Annotated[int, Field(ge=1, strict=True)] | None = None
    """How many there are until the connection is closed; without end where not given, on wall time for `wall_cap`."""


def _act(params: PingOnlyParams, _draw: Draw, _target: Target) -> AtChunk:
    return AtChunk(
        "ping_only",
        params.after,
        seconds=params.beat,
        times=params.signs or 0,
        stated="beat" in params.model_fields_set,
        forever=params.signs is None,
    )


KIND = at_model(
    "ping_only",
    "end",
    _act,
    params=PingOnlyParams,
    targets=STREAMING,
    summary="From some chunk on nothing comes but signs of life: comments, or Anthropic's `ping` events.",
    sees="openai and anthropic: nothing, and no read timeout ends it, for each sign of life begins it anew. Only a "
    "deadline of the agent's own, or the run's limit, does; ChatOpenAI, when it streams in async code, gives up after "
    "120 s without a chunk.",
    example="model.messages: [{ kind: ping_only, nth: 1, beat: 30s }]",
)
