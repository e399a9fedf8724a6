"""`reset`: the connection to the provider breaks before an answer."""

from __future__ import annotations

from squall.call import Target
from squall.faults.at_model import Drop
from squall.faults.kind import Draw, Params, at_model


def _act(_params: Params, _draw: Draw, _target: Target) -> Drop:
    return Drop("reset")


KIND = at_model(
    "reset",
    "answer",
    _act,
    summary="The connection is broken (RST) before the first byte of an answer.",
    sees="openai and anthropic: `APIConnectionError`, after two more tries; its cause is a read error.",
    example="model.chat: [{ kind: reset, nth: 1 }]",
)
