"""`stream_disconnect` of a step: its result comes in pieces, and breaks off."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from squall.call import Outcome, Target
from squall.canonical import dumps
from squall.faults.kind import Action, Draw, Kind, Params

CHUNK = 8  # characters


class StepStreamParams(Params):
    """Parameters of `stream_disconnect` at a step."""

    after: Annotated[int, Field(ge=0)] = 1
    """After how many pieces of its JSON, of eight characters each."""


def _act(params: StepStreamParams, _draw: Draw, _target: Target) -> Action:
    def cut(outcome: Outcome) -> Outcome | None:
        if outcome.form != "value":
            return None
        whole = dumps(outcome.value).decode()
        part = whole[: params.after * CHUNK]
        return None if part == whole else Outcome("lost", value=part, error="the stream ended within the result")

    return Action(change=cut)


KIND = Kind(
    name="stream_disconnect",
    phase="after",
    act=_act,
    params=StepStreamParams,
    summary="The step is done, and its result breaks off after its first pieces.",
    sees="`BrokenStream` (a `ConnectionError`) with the part that came. A shorter result cannot have it.",
    example='[[faults]]\nkind = "stream_disconnect"\nstep = 1\nafter = 2',
)
