"""What built-in models say: a fixed text, or a call of a tool that is offered, as far as the request allows it.

Knows no model's name.
"""

from __future__ import annotations

import msgspec

from squall.call import ModelRequest, Reply, ToolOffer, ToolUse
from squall.models.instance import minimal

NO_TOOL = ("auto", "none", "required")
_encode = msgspec.json.Encoder().encode


class Says:
    """A brain with one sentence. Where the request demands a call it makes one, and a JSON Schema gets an instance."""

    def __init__(self, text: str) -> None:
        self.text = text

    def answer(self, request: ModelRequest) -> Reply:
        """The sentence."""
        if request.tools and request.tool_choice not in NO_TOOL[:2]:
            return called(chosen(request))
        return spoken(self.text, request)

    def unused(self) -> list[str]:
        """Nothing."""
        return []


def spoken(text: str, request: ModelRequest) -> Reply:
    """The text; where the request has a JSON Schema, whatever is an instance of that."""
    return Reply(text) if request.schema is None else Reply()


def called(tool: ToolOffer) -> Reply:
    """A call of the tool with small arguments that are valid."""
    return Reply(calls=(ToolUse(tool.name, _encode(minimal(tool.schema)).decode()),))


def chosen(request: ModelRequest) -> ToolOffer:
    """The tool that the request demands, or the first of those that it offers."""
    return next((tool for tool in request.tools if tool.name == request.tool_choice), request.tools[0])
