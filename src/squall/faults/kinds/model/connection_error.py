"""`connection_error`: the provider closes the connection without having said anything."""

from __future__ import annotations

from squall.call import Target
from squall.faults.at_model import Drop
from squall.faults.kind import Draw, Params, at_model


def _act(_params: Params, _draw: Draw, _target: Target) -> Drop:
    return Drop("fin")


KIND = at_model(
    "connection_error",
    "answer",
    _act,
    summary="The connection is closed in order before the first byte of an answer.",
    sees="openai and anthropic: `APIConnectionError`, after two more tries.",
    example="model.*: { errors: { connection_error: 0.05 } }",
)
