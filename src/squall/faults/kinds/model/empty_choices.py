"""`empty_choices`: a proper answer in which nobody says anything."""

from __future__ import annotations

from squall.call import STREAMING, Target
from squall.faults.at_model import Garble
from squall.faults.kind import Draw, Params, at_model


def _act(_params: Params, _draw: Draw, _target: Target) -> Garble:
    return Garble("empty")


KIND = at_model(
    "empty_choices",
    "answer",
    _act,
    targets=STREAMING,
    summary="The answer is complete, and `choices` (of a response `output`, of a message `content`) is an empty list. "
    "It does not happen to streams.",
    sees="openai and anthropic: an ordinary object with an empty list. `choices[0]` raises `IndexError`, in ChatOpenAI "
    "and pydantic-ai as well.",
    example="model.chat: [{ kind: empty_choices, nth: 1 }]",
)
