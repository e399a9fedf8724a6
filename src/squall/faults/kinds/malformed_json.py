"""`malformed_json`: the reply is text that no JSON parser takes."""

from __future__ import annotations

from squall.call import Outcome, Target
from squall.faults.kind import Action, Draw, Kind, Params

BROKEN = '{"status": "ok", "data": {"id": '


class MalformedParams(Params):
    """Parameters of `malformed_json`."""

    text: str = BROKEN
    """What arrives in place of JSON."""


def _act(params: MalformedParams, _draw: Draw, _target: Target) -> Action:
    return Action(reply=Outcome("text", value=params.text))


KIND = Kind(
    name="malformed_json",
    phase="before",
    act=_act,
    params=MalformedParams,
    summary="The reply is not JSON.",
    sees="MCP: text without structured content, which the official client refuses for a tool with an output schema "
    "(`RuntimeError`); other clients hand the text on. Plain callables: `json.JSONDecodeError`.",
    example="orders.get_order: { errors: { malformed_json: 0.02 } }",
)
