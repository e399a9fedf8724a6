"""`slow_body`: an answer drips in."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from squall.call import Target
from squall.faults.at_model import Pace
from squall.faults.kind import Draw, Params, Seconds, at_model


class SlowBodyParams(Params):
    """Parameters of `slow_body`."""

    pieces: Annotated[int, Field(ge=1, strict=True)] = 10
    """In how many pieces the body comes."""
    seconds: Seconds = 10.0
    """The time before each of them."""


def _act(params: SlowBodyParams, _draw: Draw, _target: Target) -> Pace:
    return Pace(params.seconds, params.pieces, stated="seconds" in params.model_fields_set)


KIND = at_model(
    "slow_body",
    "pace",
    _act,
    params=SlowBodyParams,
    summary="The body of an answer comes in pieces, with a wait before each. A stream is cut wherever that falls, in "
    "the middle of an event or of a character too (`slow_chunks` keeps its events whole).",
    sees="openai and anthropic: the ordinary reply, late. Their deadline is for each read, so that it fires only where "
    "one wait is longer; a deadline of the agent's own is for all of it.",
    example="model.chat: [{ kind: slow_body, nth: 1, pieces: 5, seconds: 20s }]",
)
