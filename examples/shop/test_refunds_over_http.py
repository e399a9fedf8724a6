"""The same job over HTTP with another real framework: OpenAI's Agents SDK, with a small class in the model's place.

`mcp_url` is an address on this machine, and the SDK's own HTTP client connects to it; time is virtual nevertheless.
When a tool does not answer, the SDK tells the model "An error occurred while running the tool. Please try again." For a
payment that is bad advice.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("agents", reason='openai-agents is not installed: pip install "squall[openai-agents]"')

from agents import Model, ModelResponse, Usage
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText
from refund_agents import REFUNDED

import squall
from squall.integrations.openai_agents import run_agent

TASK = "The customer sent order 1 back. Take it back and refund it."
RULES = f"You work for a shop. Refund each order at most once. When the order is refunded, answer exactly: {REFUNDED}"

Brain = Callable[[str | None, Any], str]
"""The last tool that was called and its result (None if it failed): the next tool to call, or the answer."""


def hasty(last: str | None, result: Any) -> str:
    """Does as it is told, and tries the payment again."""
    match last, result:
        case None, _:
            return "create_return"
        case "issue_refund", {}:
            return REFUNDED
        case _:
            return "issue_refund"


def careful(last: str | None, result: Any) -> str:
    """Looks before it tries the payment again."""
    match last, result:
        case None, _:
            return "create_return"
        case ("issue_refund", {}) | ("list_refunds", [_, *_]):
            return REFUNDED
        case (("issue_refund" | "list_refunds"), None):
            return "list_refunds"
        case _:
            return "issue_refund"


class FakeModel(Model):
    """What the SDK takes for a model: no key, no network, and a function that decides."""

    def __init__(self, brain: Brain) -> None:
        self.brain = brain

    async def get_response(self, system_instructions: Any, input: Any, *_: Any, **__: Any) -> ModelResponse:  # noqa: A002 - the SDK's name
        """One move: a call of a tool, or the answer."""
        calls = [item["name"] for item in input if item.get("type") == "function_call"]
        move = self.brain(calls[-1], result_of(input[-1])) if calls else self.brain(None, None)
        return ModelResponse(output=[said(move, len(calls))], usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        """Asked for by `Runner.run_streamed` alone."""
        raise NotImplementedError


def said(move: str, number: int) -> ResponseFunctionToolCall | ResponseOutputMessage:
    """A move in the SDK's words."""
    if move == REFUNDED:
        text = ResponseOutputText(type="output_text", text=move, annotations=[])
        return ResponseOutputMessage(
            id=f"answer-{number}", type="message", role="assistant", status="completed", content=[text]
        )
    order = json.dumps({"order": "1"})
    return ResponseFunctionToolCall(type="function_call", call_id=f"call-{number}", name=move, arguments=order)


def result_of(reply: Any) -> Any:
    """What the tool returned; None if it failed, which a model must tell from the text."""
    output = reply["output"]
    text = output if isinstance(output, str) else output[0]["text"]
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        return None


@pytest.mark.world("worlds/shop.yaml")
@pytest.mark.faults("worlds/shop.yaml")
@pytest.mark.runs(20)
@pytest.mark.min_pass_rate(1.0)
@pytest.mark.parametrize("brain", [hasty, careful])
async def test_an_openai_agent_over_http(brain: Brain, world: Any, mcp_url: str) -> None:
    squall.finally_(lambda: squall.at_most_once(world.refunds, by="order"))
    result = await run_agent(FakeModel(brain), TASK, mcp=mcp_url, instructions=RULES)
    assert result.final_output != REFUNDED or world.refunds.where(order="1")


@pytest.mark.world("worlds/shop.yaml")
@pytest.mark.faults([{"target": "payments.issue_refund", "kind": "timeout", "nth": 1}])
async def test_a_lost_reply_over_http(world: Any, mcp_url: str, trace: Any, clock: Any) -> None:
    result = await run_agent(FakeModel(careful), TASK, mcp=mcp_url, instructions=RULES)
    assert result.final_output == REFUNDED
    assert trace.line() == "create_return → issue_refund!timeout(after) → list_refunds"
    assert clock.elapsed() == 30  # the SDK's own deadline, in virtual seconds
    squall.exactly_once(world.refunds, by="order")
