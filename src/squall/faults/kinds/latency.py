"""`latency`: this one call is slow, where `latency_ms` on a target makes all its calls slow."""

from __future__ import annotations

from squall.call import Target
from squall.faults.kind import Action, Draw, Kind, Params, Seconds


class LatencyParams(Params):
    """Parameters of `latency`."""

    seconds: Seconds = 5.0
    """How long the reply takes."""


def _act(params: LatencyParams, _draw: Draw, _target: Target) -> Action:
    return Action(wait=params.seconds, stated="seconds" in params.model_fields_set)


KIND = Kind(
    name="latency",
    phase="after",
    act=_act,
    params=LatencyParams,
    summary="One call is slow. `after`: the operation runs at once, its reply takes long; `before`: the operation "
    "itself waits, and does not run if the caller gives up; `late`: the effect lands `late_by` after the reply.",
    sees="MCP and plain callables: the ordinary result, late. A client with a shorter deadline gives up.",
    example="payments.issue_refund: [{ kind: latency, nth: 1, seconds: 90 }]",
)
