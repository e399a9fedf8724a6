"""The same job with a real framework: pydantic-ai, with a function in the model's place, or with a real model.

Without a key the function decides. With SQUALL_EXAMPLE_MODEL set (see .env.example) the last test asks a real model.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import pytest

pytest.importorskip("pydantic_ai", reason='pydantic-ai is not installed: pip install "squall[pydantic-ai]"')

from pydantic_ai.messages import ModelMessage, ModelResponse, TextPart, ToolCallPart, ToolReturnPart
from pydantic_ai.models.function import AgentInfo, FunctionModel
from refund_agents import REFUNDED, UNCERTAIN

import squall
from squall.integrations.pydantic_ai import run_agent

TASK = "The customer sent order 1 back. Take it back and refund it."
RULES = f"""You work for a shop. Refund each order at most once, and never say that you paid when you did not.
When the order is refunded, answer exactly: {REFUNDED} When you cannot tell, answer exactly: {UNCERTAIN}"""
REAL_MODEL = os.environ.get("SQUALL_EXAMPLE_MODEL")

Brain = Callable[[list[ModelMessage], AgentInfo], ModelResponse]


def hasty(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    """Tries the payment again when it fails."""
    match last_reply(messages):
        case None:
            return tool("create_return")
        case ToolReturnPart(tool_name="issue_refund", outcome="success"):
            return ModelResponse([TextPart(REFUNDED)])
        case _:
            return tool("issue_refund")


def careful(messages: list[ModelMessage], _: AgentInfo) -> ModelResponse:
    """Looks before it tries the payment again."""
    match last_reply(messages):
        case None:
            return tool("create_return")
        case ToolReturnPart(tool_name="issue_refund", outcome="success"):
            return ModelResponse([TextPart(REFUNDED)])
        case ToolReturnPart(tool_name="issue_refund"):
            return tool("list_refunds")
        case ToolReturnPart(tool_name="list_refunds", content=[_, *_]):
            return ModelResponse([TextPart(REFUNDED)])
        case _:
            return tool("issue_refund")


def tool(name: str) -> ModelResponse:
    return ModelResponse([ToolCallPart(name, {"order": "1"})])


def last_reply(messages: list[ModelMessage]) -> ToolReturnPart | None:
    last = messages[-1].parts[-1]
    return last if isinstance(last, ToolReturnPart) else None


@pytest.mark.world("worlds/shop.yaml")
@pytest.mark.faults("worlds/shop.yaml")
@pytest.mark.runs(20)
@pytest.mark.min_pass_rate(1.0)
@pytest.mark.parametrize("brain", [hasty, careful])
async def test_a_pydantic_ai_agent(brain: Brain, world: Any, mcp_server: Any) -> None:
    squall.finally_(lambda: squall.at_most_once(world.refunds, by="order"))
    result = await run_agent(FunctionModel(brain), TASK, mcp=mcp_server, system_prompt=RULES, retries=5)
    assert result.output != REFUNDED or world.refunds.where(order="1")


@pytest.mark.skipif(not REAL_MODEL, reason="SQUALL_EXAMPLE_MODEL names no model: see .env.example")
@pytest.mark.world("worlds/shop.yaml")
@pytest.mark.faults("worlds/shop.yaml")
@pytest.mark.runs(5)
@pytest.mark.min_pass_rate(0.8)
@pytest.mark.clock("wall")  # the model is on the network, where time is real
async def test_a_real_model(world: Any, mcp_server: Any) -> None:
    squall.finally_(lambda: squall.at_most_once(world.refunds, by="order"))
    result = await run_agent(str(REAL_MODEL), TASK, mcp=mcp_server, system_prompt=RULES, retries=5)
    assert REFUNDED not in result.output or world.refunds.where(order="1")
