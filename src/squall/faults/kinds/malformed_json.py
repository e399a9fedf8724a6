"""`malformed_json`: the reply is text that no JSON parser takes."""

from __future__ import annotations

from pydantic import field_validator

from squall.call import Outcome, Target
from squall.documents import Invalid
from squall.errors import shown
from squall.faults.json_text import parses
from squall.faults.kind import Action, Draw, Kind, Params

BROKEN = '{"status": "ok", "data": {"id": '
HINT = "Leave a bracket or a quote out, or take wrong_value or empty_result for a reply that parses."


class MalformedParams(Params):
    """Parameters of `malformed_json`."""

    text: str = BROKEN
    """What arrives in place of JSON, and is none."""

    @field_validator("text")
    @classmethod
    def is_no_json(cls, text: str) -> str:
        """Refuse what an agent would parse without noticing anything."""
        if parses(text):
            raise Invalid(f"{shown(text)} is JSON, and malformed_json is to send none", hint=HINT)
        return text


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
