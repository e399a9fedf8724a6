"""A model for a scenario of steps that has none: it asks for each step in turn, and then says that it is done.

Reads off the conversation how far it has got, so that a request that is sent again gets the same answer. Knows no
protocol.
"""

from __future__ import annotations

from collections.abc import Iterator

from squall.call import ModelRequest
from squall.models import Turn, call, say
from squall.runs.scenario.task import Step

DONE = "I have done all of it."


class StepModel:
    """`asked` gives the steps as somebody asks for them, each when it is wanted."""

    def __init__(self, asked: Iterator[Step]) -> None:
        self._asked = asked
        self._order: list[Step] = []

    def __call__(self, request: ModelRequest) -> Turn:
        """The call that is due after the results that the conversation holds."""
        results = sum(message.role == "tool" for message in request.messages)
        while len(self._order) <= results:
            step = next(self._asked, None)
            if step is None:
                return say(DONE)
            self._order.append(step)
        step = self._order[results]
        return call(_offered(step.tool, request), dict(step.arguments))


def _offered(tool: str, request: ModelRequest) -> str:
    """The tool's name as this agent offers it: `mcp__tools__issue_refund`, for example."""
    names = [offer.name for offer in request.tools]
    prefixed = (name for name in names if name.endswith(tool) and not name.removesuffix(tool)[-1:].isalnum())
    return tool if tool in names else next(prefixed, tool)
