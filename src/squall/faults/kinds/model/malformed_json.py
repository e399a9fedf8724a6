"""`malformed_json` of a model: a 200 whose body no JSON parser takes."""

from __future__ import annotations

from squall.call import Target
from squall.faults.at_model import Garble
from squall.faults.kind import Draw, Params, at_model


def _act(_params: Params, _draw: Draw, _target: Target) -> Garble:
    return Garble("malformed_json")


KIND = at_model(
    "malformed_json",
    "answer",
    _act,
    summary="The answer is a success, and its body breaks off inside. For streams there is `malformed_event`.",
    sees="openai and anthropic: `json.JSONDecodeError`, raised as it is and not tried again.",
    example="model.chat: { errors: { malformed_json: 0.02 } }",
)
