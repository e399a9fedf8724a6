"""`truncated_result`: the operation ran, and the reply breaks off."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from squall.call import Outcome, Target
from squall.canonical import dumps
from squall.faults.json_text import parses
from squall.faults.kind import Action, Draw, Kind, Params


class TruncatedParams(Params):
    """Parameters of `truncated_result`."""

    keep: Annotated[float, Field(ge=0, lt=1)] = 0.5
    """The share of the reply's text that arrives."""


def _act(params: TruncatedParams, _draw: Draw, _target: Target) -> Action:
    def cut(outcome: Outcome) -> Outcome | None:
        if outcome.form != "value":
            return None
        text = dumps(outcome.value).decode()
        part = text[: int(len(text) * params.keep)]
        return None if parses(part) else Outcome("text", value=part)  # 1200 cut to 12 is no broken reply

    return Action(change=cut)


KIND = Kind(
    name="truncated_result",
    phase="after",
    act=_act,
    params=TruncatedParams,
    summary="The operation runs, and only the first part of its reply arrives.",
    sees="MCP: cut text without structured content, which the official client refuses for a tool with an output schema "
    "(`RuntimeError`); other clients hand the text on. Plain callables: `json.JSONDecodeError`.",
    example="orders.list_orders: [{ kind: truncated_result, nth: 2, keep: 0.3 }]",
)
