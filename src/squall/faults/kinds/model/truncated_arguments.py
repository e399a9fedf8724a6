"""`truncated_arguments`: the arguments of a call break off, and nothing says so."""

from __future__ import annotations

from typing import Annotated

from msgspec.structs import replace
from pydantic import Field

from squall.call import STREAMING, ModelRequest, Reply, Target, ToolUse
from squall.faults.at_model import Alter
from squall.faults.json_text import parses
from squall.faults.kind import Draw, Params, at_model
from squall.faults.said import with_one_call


class TruncatedArgumentsParams(Params):
    """Parameters of `truncated_arguments`."""

    keep: Annotated[float, Field(ge=0, lt=1)] = 0.5
    """The share of the arguments' text that arrives."""


def _act(params: TruncatedArgumentsParams, draw: Draw, _target: Target) -> Alter:
    def cut(call: ToolUse) -> ToolUse | None:
        text = call.arguments[: int(len(call.arguments) * params.keep)]
        return replace(call, arguments=text) if call.arguments and not parses(text) else None

    def change(reply: Reply, _request: ModelRequest) -> Reply | None:
        return with_one_call(reply, draw, cut)

    return Alter(change)


KIND = at_model(
    "truncated_arguments",
    "reply",
    _act,
    params=TruncatedArgumentsParams,
    targets=STREAMING,
    summary="The JSON text of a call's arguments breaks off, and the reply ends as if it were complete.",
    sees='openai: `arguments` that are no JSON, beside `finish_reason == "tool_calls"`. anthropic: `.stream()` makes '
    "a valid call with fewer arguments out of them, and `tool_runner(stream=True)` runs it; so do ChatOpenAI and "
    "ChatAnthropic when they stream.",
    example="model.chat: [{ kind: truncated_arguments, nth: 1, keep: 0.7 }]",
)
