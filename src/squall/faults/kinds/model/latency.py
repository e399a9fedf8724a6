"""`latency` of a model: this one answer begins late, where `latency_ms` on a target makes all of them slow."""

from __future__ import annotations

from squall.call import Target
from squall.faults.at_model import Slow
from squall.faults.kind import Draw, Params, Seconds, at_model


class LatencyParams(Params):
    """Parameters of `latency` of a model."""

    seconds: Seconds = 5.0
    """How long it takes until the first byte."""


def _act(params: LatencyParams, _draw: Draw, _target: Target) -> Slow:
    return Slow(params.seconds, stated="seconds" in params.model_fields_set)


KIND = at_model(
    "latency",
    "wait",
    _act,
    params=LatencyParams,
    summary="One answer begins late. What it is, other rules may still say.",
    sees="openai and anthropic: the ordinary reply, late; `APITimeoutError` where the client's deadline is shorter.",
    example="model.chat: [{ kind: latency, nth: 1, seconds: 90 }]",
)
