"""A pydantic-ai agent over squall's server and over others: what its model is told, and what of it is recorded."""

from __future__ import annotations

import asyncio
import importlib
import sys
from pathlib import Path

import mcp_types as types
import pytest
from mcp import Client
from mcp.server.lowlevel import Server
from pydantic_ai import Agent, UnexpectedModelBehavior
from pydantic_ai.messages import ModelResponse, SystemPromptPart, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel

import squall
from squall.integrations.pydantic_ai import McpTools, run_agent
from squall.trace.kinds import AgentFinal

SHOP = Path(__file__).parents[2] / "examples/shop/worlds/shop.yaml"


class Script:
    """Plays the model: makes the given moves in turn, and keeps what it was told before each."""

    def __init__(self, *moves):
        self.moves, self.told, self.tools = list(moves), [], {}
        self.model = FunctionModel(self.answer)

    def answer(self, messages, info):
        self.told.append(messages[-1].parts)
        self.tools = {tool.name: tool for tool in info.function_tools}
        move = self.moves.pop(0)
        return ModelResponse([TextPart(move) if isinstance(move, str) else ToolCallPart(*move)])

    @property
    def last(self):
        """The reply to the last call of a tool."""
        return self.told[-1][-1]


def rule(kind, nth=1, target="payments.issue_refund", **more):
    return [{"target": target, "kind": kind, "nth": nth, **more}]


def returned(run):
    """Order 1 sent back, as a refund demands; before the agent begins."""
    run.world.orders.update("1", status="returned")


def test_the_answer_is_the_output_and_stands_in_the_trace():
    script = Script(("get_order", {"id": "1"}), "It was delivered.")
    with squall.world(SHOP) as run:
        result = asyncio.run(
            run_agent(script.model, "Where is order 1?", mcp=run.mcp_server, system_prompt="Be brief.")
        )
    assert result.output == "It was delivered."
    assert [part.content for part in script.told[0] if isinstance(part, SystemPromptPart)] == ["Be brief."]
    assert run.trace.finals() == [AgentFinal(answer="It was delivered.")]
    assert run.trace.line() == "get_order"


def test_the_model_is_offered_each_tool_as_the_server_lists_it():
    script = Script("Nothing to do.")
    with squall.world(SHOP) as run:
        asyncio.run(run_agent(script.model, "Hello", mcp=run.mcp_server))
        operations = run.world.operations
    assert {name: tool.parameters_json_schema for name, tool in script.tools.items()} == {
        name: operation.input_schema for name, operation in operations.items()
    }
    assert script.tools["list_orders"].description == operations["list_orders"].description


def test_the_model_gets_what_a_tool_returned_a_row_as_an_object_and_a_list_as_a_list():
    script = Script(("get_order", {"id": "2"}), ("list_refunds", {}), "Done.")
    with squall.world(SHOP) as run:
        asyncio.run(run_agent(script.model, "Look", mcp=run.mcp_server))
    assert script.told[1][-1].content["status"] == "placed"
    assert script.told[2][-1].content == []
    assert {part.outcome for parts in script.told[1:] for part in parts} == {"success"}


def test_a_refusal_reaches_the_model_in_the_tools_own_words_and_the_agent_goes_on():
    script = Script(("create_return", {"order": "2"}), "It cannot be returned.")
    with squall.world(SHOP) as run:
        result = asyncio.run(run_agent(script.model, "Return order 2", mcp=run.mcp_server))
    assert script.last.outcome == "retried"
    assert "order 2 is placed, and only a delivered order can be returned" in script.last.content
    assert result.output == "It cannot be returned."


def test_a_lost_reply_runs_into_the_clients_own_deadline_in_virtual_time_with_the_refund_paid():
    script = Script(("issue_refund", {"order": "1"}), ("list_refunds", {"order": "1"}), "Paid.")
    with squall.world(SHOP, faults=rule("timeout")) as run:
        returned(run)
        asyncio.run(run_agent(script.model, "Refund order 1", mcp=run.mcp_server))
        assert run.clock.elapsed() == 30
    assert script.told[1][-1].outcome == "retried"
    assert "timed out" in str(script.told[1][-1].content).lower()
    assert [refund["amount"] for refund in script.last.content] == [40.0]
    assert run.trace.line() == "issue_refund!timeout(after) → list_refunds"


@pytest.mark.parametrize(("deadline", "passed"), [(5, 5), (None, 60)])
def test_the_deadline_can_be_another_or_none_and_then_the_service_answers_in_the_end(deadline, passed):
    script = Script(("issue_refund", {"order": "1"}), "I do not know.")
    with squall.world(SHOP, faults=rule("timeout")) as run:
        returned(run)
        asyncio.run(run_agent(script.model, "Refund", mcp=run.mcp_server, read_timeout_seconds=deadline))
        assert run.clock.elapsed() == passed
    assert script.last.outcome == "retried"


def test_a_broken_connection_is_told_to_the_model():
    script = Script(("issue_refund", {"order": "1"}), "I do not know.")
    with squall.world(SHOP, faults=rule("connection_lost")) as run:
        returned(run)
        asyncio.run(run_agent(script.model, "Refund", mcp=run.mcp_server))
        assert run.world.refunds.count() == 1
    assert script.last.outcome == "retried"


def test_a_tool_that_fails_too_often_ends_the_agent_with_pydantic_ais_own_error():
    call = ("get_order", {"id": "1"})
    script = Script(call, call, call)
    fault = [{"target": "orders.get_order", "kind": "http_503", "first": 9}]
    with pytest.raises(UnexpectedModelBehavior), squall.world(SHOP, faults=fault) as run:
        asyncio.run(run_agent(script.model, "Look", mcp=run.mcp_server))
    assert run.trace.count("get_order") == 2
    (final,) = run.trace.finals()
    assert final.error is not None
    assert final.error.startswith("UnexpectedModelBehavior")


def test_retries_are_the_users_to_set():
    call = ("get_order", {"id": "1"})
    script = Script(call, call, call, "There it is.")
    fault = [{"target": "orders.get_order", "kind": "http_503", "first": 2}]
    with squall.world(SHOP, faults=fault) as run:
        result = asyncio.run(run_agent(script.model, "Look", mcp=run.mcp_server, retries=2))
    assert result.output == "There it is."


def test_a_reply_that_the_official_client_refuses_ends_the_agent_as_it_does_with_pydantic_ais_own_toolset():
    script = Script(("get_order", {"id": "1"}))
    fault = rule("malformed_json", target="orders.get_order")
    with pytest.raises(RuntimeError, match="structured content"), squall.world(SHOP, faults=fault) as run:
        asyncio.run(run_agent(script.model, "Look", mcp=run.mcp_server))


def test_an_agent_of_ones_own_takes_the_tools_of_a_connected_client():
    script = Script(("get_order", {"id": "1"}), "Delivered.")
    agent = Agent(script.model, output_type=str)

    async def main(server):
        async with Client(server, read_timeout_seconds=30) as client:
            tools = McpTools(client)
            assert tools.id is None
            return await agent.run("Look", toolsets=[tools.include_return_schemas()])

    with squall.world(SHOP) as run:
        result = asyncio.run(main(run.mcp_server))
    assert result.output == "Delivered."
    assert "placed_at" in str(script.tools["get_order"])
    assert run.trace.finals() == []


def test_an_assertion_after_the_answer_does_not_stand_as_the_agents_end():
    with pytest.raises(AssertionError), squall.world(SHOP) as run:
        asyncio.run(run_agent(Script("Done.").model, "Hello", mcp=run.mcp_server))
        raise AssertionError("the property")
    assert run.trace.finals() == [AgentFinal(answer="Done.")]


def test_a_run_that_is_not_recorded_gets_no_answer_in_its_trace():
    with squall.world(SHOP, record=False) as run:
        result = asyncio.run(run_agent(Script("Done.").model, "Hello", mcp=run.mcp_server))
    assert result.output == "Done."


class Plain:
    """A server that is not squall's: two pages of tools, and replies of other kinds than text."""

    def __init__(self):
        self.pages = {None: ("draw", "next"), "next": ("fail", None)}
        self.server = Server("plain", on_list_tools=self.listed, on_call_tool=self.called)

    async def listed(self, _context, params):
        name, following = self.pages[params.cursor if params else None]
        tool = types.Tool(name=name, description="A tool.", input_schema={"type": "object"})
        return types.ListToolsResult(tools=[tool], next_cursor=following)

    async def called(self, _context, params):
        if params.name == "fail":
            return types.CallToolResult(content=[], is_error=True)
        image = types.ImageContent(data="AAAA", mime_type="image/png")
        return types.CallToolResult(content=[types.TextContent(text="Here it is:"), image])


def test_any_server_will_do_also_without_a_run_with_pages_of_tools_and_images_in_replies():
    script = Script(("draw", {}), ("fail", {}), "Done.")
    result = asyncio.run(run_agent(script.model, "Draw", mcp=Plain().server))
    assert result.output == "Done."
    assert list(script.tools) == ["draw", "fail"]
    first, *rest = script.told[1][-1].content.splitlines()
    assert first == "Here it is:"
    assert '"mimeType":"image/png"' in "".join(rest)
    assert "fail failed" in script.last.content


def imported_without(monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, "squall.integrations.pydantic_ai")
    with pytest.raises(ModuleNotFoundError) as caught:
        importlib.import_module("squall.integrations.pydantic_ai")
    return caught.value


def test_without_pydantic_ai_the_error_says_what_to_install(monkeypatch):
    error = imported_without(monkeypatch, "pydantic_ai")
    assert error.name == "pydantic_ai"
    assert str(error) == 'squall.integrations.pydantic_ai needs pydantic-ai: pip install "squall[pydantic-ai]"'


def test_what_is_missing_inside_pydantic_ai_is_told_as_it_is(monkeypatch):
    error = imported_without(monkeypatch, "pydantic_ai.toolsets")
    assert error.name == "pydantic_ai.toolsets"
    assert "squall[" not in str(error)
