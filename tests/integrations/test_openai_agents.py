"""An agent of OpenAI's SDK over squall's servers: what its model is told, what is recorded, what is not sent."""

from __future__ import annotations

import asyncio
import importlib
import json
import sys
from pathlib import Path

import mcp_types as types
import pytest
from agents import Agent, MaxTurnsExceeded, Model, ModelResponse, Runner, Usage
from agents.tracing import TracingProcessor, get_trace_provider
from agents.tracing.provider import DefaultTraceProvider
from mcp import Client
from mcp.server.lowlevel import Server
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText

import squall
from squall.integrations.openai_agents import McpTools, run_agent
from squall.trace.kinds import AgentFinal

SHOP = Path(__file__).parents[2] / "examples/shop/worlds/shop.yaml"
FAILED = "An error occurred while running the tool. Please try again."


class Script(Model):
    """Plays the model: makes the given moves in turn, and keeps what it was told before each."""

    def __init__(self, *moves):
        self.moves, self.told, self.tools, self.instructions = list(moves), [], {}, None

    async def get_response(self, system_instructions, input, model_settings, tools, *_, **__):  # noqa: A002 - the SDK's
        self.told.append(input)
        self.instructions = system_instructions
        self.tools = {tool.name: tool for tool in tools}
        move, number = self.moves.pop(0), len(self.told)
        said: ResponseOutputMessage | ResponseFunctionToolCall
        if isinstance(move, str):
            text = ResponseOutputText(type="output_text", text=move, annotations=[])
            said = ResponseOutputMessage(
                id=f"said-{number}", type="message", role="assistant", status="completed", content=[text]
            )
        else:
            name, arguments = move
            said = ResponseFunctionToolCall(
                type="function_call", call_id=f"call-{number}", name=name, arguments=json.dumps(arguments)
            )
        return ModelResponse(output=[said], usage=Usage(), response_id=None)

    def stream_response(self, *_, **__):
        raise NotImplementedError

    def reply(self, turn=-1):
        """The texts of the reply to the call before a turn."""
        output = self.told[turn][-1]["output"]
        return output if isinstance(output, str) else "\n".join(item.get("text", item["type"]) for item in output)


@pytest.fixture(params=["mcp_url", "mcp_server"])
def reached(request):
    """Both ways to reach a run's server, as what gives `mcp`."""
    return lambda run: getattr(run, request.param)


def rule(kind, nth=1, target="payments.issue_refund", **more):
    return [{"target": target, "kind": kind, "nth": nth, **more}]


def returned(run):
    """Order 1 sent back, as a refund demands; before the agent begins."""
    run.world.orders.update("1", status="returned")


def test_the_answer_is_the_final_output_and_stands_in_the_trace(reached):
    script = Script(("get_order", {"id": "1"}), "It was delivered.")
    with squall.world(SHOP) as run:
        result = asyncio.run(run_agent(script, "Where is order 1?", mcp=reached(run), instructions="Be brief."))
    assert result.final_output == "It was delivered."
    assert script.instructions == "Be brief."
    assert json.loads(script.reply())["status"] == "delivered"
    assert run.trace.finals() == [AgentFinal(answer="It was delivered.")]
    assert run.trace.line() == "get_order"


def test_the_model_is_offered_each_tool_as_the_server_lists_it(reached):
    script = Script("Nothing to do.")
    with squall.world(SHOP) as run:
        asyncio.run(run_agent(script, "Hello", mcp=reached(run)))
        operations = run.world.operations
    assert {name: tool.params_json_schema["properties"] for name, tool in script.tools.items()} == {
        name: operation.input_schema["properties"] for name, operation in operations.items()
    }
    assert script.tools["list_orders"].description == operations["list_orders"].description


def test_a_refusal_reaches_the_model_in_the_tools_own_words_and_the_agent_goes_on(reached):
    script = Script(("create_return", {"order": "2"}), "It cannot be returned.")
    with squall.world(SHOP) as run:
        result = asyncio.run(run_agent(script, "Return order 2", mcp=reached(run)))
    assert script.reply() == "order 2 is placed, and only a delivered order can be returned"
    assert result.final_output == "It cannot be returned."


def test_a_lost_reply_runs_into_the_clients_own_deadline_in_virtual_time_with_the_refund_paid(reached):
    script = Script(("issue_refund", {"order": "1"}), ("list_refunds", {"order": "1"}), "Paid.")
    with squall.world(SHOP, faults=rule("timeout")) as run:
        returned(run)
        asyncio.run(run_agent(script, "Refund order 1", mcp=reached(run)))
        assert run.clock.elapsed() == 30
    assert script.reply(1) == FAILED
    assert [refund["amount"] for refund in json.loads(script.reply())] == [40.0]
    assert run.trace.line() == "issue_refund!timeout(after) → list_refunds"


@pytest.mark.parametrize(("deadline", "passed"), [(5, 5), (None, 60)])
def test_the_deadline_can_be_another_or_none_and_then_the_service_answers_in_the_end(reached, deadline, passed):
    script = Script(("issue_refund", {"order": "1"}), "I do not know.")
    with squall.world(SHOP, faults=rule("timeout")) as run:
        returned(run)
        asyncio.run(run_agent(script, "Refund", mcp=reached(run), read_timeout_seconds=deadline))
        assert run.clock.elapsed() == passed
    assert "40.0" not in script.reply()


@pytest.mark.parametrize(("kind", "paid"), [("connection_lost", 1), ("session_lost", 0)])
def test_a_broken_connection_is_told_to_the_model_and_the_next_call_gets_through(reached, kind, paid):
    script = Script(("issue_refund", {"order": "1"}), ("list_refunds", {"order": "1"}), "I looked.")
    with squall.world(SHOP, faults=rule(kind)) as run:
        returned(run)
        asyncio.run(run_agent(script, "Refund", mcp=reached(run)))
    assert script.reply(1) == FAILED
    assert len(json.loads(script.reply())) == paid


def test_an_agent_that_never_ends_is_ended_by_the_sdk_and_the_error_is_its_own(reached):
    call = ("get_order", {"id": "1"})
    script = Script(call, call, call)
    with pytest.raises(MaxTurnsExceeded), squall.world(SHOP) as run:
        asyncio.run(run_agent(script, "Look", mcp=reached(run), max_turns=2))
    assert run.trace.count("get_order") == 2
    (final,) = run.trace.finals()
    assert final.error is not None
    assert final.error.startswith("MaxTurnsExceeded")


class Spy(TracingProcessor):
    """Sees whatever the SDK would send to its makers."""

    def __init__(self):
        self.seen = []

    def on_trace_start(self, trace):
        self.seen.append(trace)

    def on_span_start(self, span):
        self.seen.append(span)

    def on_trace_end(self, trace): ...

    def on_span_end(self, span): ...

    def shutdown(self): ...

    def force_flush(self): ...


@pytest.fixture
def spy(monkeypatch):
    seeing, provider = Spy(), get_trace_provider()
    assert isinstance(provider, DefaultTraceProvider)
    monkeypatch.setattr(provider._multi_processor, "_processors", (seeing,))
    monkeypatch.setenv("OPENAI_AGENTS_DISABLE_TRACING", "0")  # which all other tests have on
    monkeypatch.setattr(provider, "_env_disabled", None)
    monkeypatch.setattr(provider, "_disabled", False)
    return seeing


def test_the_sdk_traces_nothing(reached, spy):
    script = Script(("get_order", {"id": "1"}), "Done.")
    with squall.world(SHOP) as run:
        asyncio.run(run_agent(script, "Hello", mcp=reached(run)))
    assert spy.seen == []


def test_an_agent_of_ones_own_takes_the_tools_of_a_client_and_what_it_traces_is_its_own_business(spy):
    script = Script(("get_order", {"id": "1"}), "Delivered.")

    async def main(server):
        tools = McpTools(Client(server, read_timeout_seconds=30))
        await tools.connect()
        try:
            return await Runner.run(Agent(name="mine", model=script, mcp_servers=[tools]), "Look")
        finally:
            await tools.cleanup()

    with squall.world(SHOP) as run:
        result = asyncio.run(main(run.mcp_server))
    assert result.final_output == "Delivered."
    assert run.trace.finals() == []
    assert spy.seen != []


def test_an_assertion_after_the_answer_does_not_stand_as_the_agents_end():
    with pytest.raises(AssertionError), squall.world(SHOP) as run:
        asyncio.run(run_agent(Script("Done."), "Hello", mcp=run.mcp_server))
        raise AssertionError("the property")
    assert run.trace.finals() == [AgentFinal(answer="Done.")]


def test_a_run_that_is_not_recorded_gets_no_answer_in_its_trace():
    with squall.world(SHOP, record=False) as run:
        result = asyncio.run(run_agent(Script("Done."), "Hello", mcp=run.mcp_server))
    assert result.final_output == "Done."


class Plain:
    """A server that is not squall's: two pages of tools, replies of other kinds than text, and a prompt."""

    def __init__(self):
        self.pages = {None: ("draw", "next"), "next": ("fail", None)}
        self.server = Server(
            "plain",
            on_list_tools=self.listed,
            on_call_tool=self.called,
            on_list_prompts=self.prompts,
            on_get_prompt=self.prompt,
        )

    async def listed(self, _context, params):
        name, following = self.pages[params.cursor if params else None]
        tool = types.Tool(name=name, description="A tool.", input_schema={"type": "object"})
        return types.ListToolsResult(tools=[tool], next_cursor=following)

    async def called(self, _context, params):
        if params.name == "fail":
            return types.CallToolResult(content=[types.TextContent(text="No paper.")], is_error=True)
        image = types.ImageContent(data="AAAA", mime_type="image/png")
        return types.CallToolResult(content=[types.TextContent(text="Here it is:"), image])

    async def prompts(self, _context, _params):
        return types.ListPromptsResult(prompts=[types.Prompt(name="greet")])

    async def prompt(self, _context, params):
        return types.GetPromptResult(description=f"{params.name} {params.arguments}", messages=[])


def test_any_server_will_do_also_without_a_run_with_pages_of_tools_and_images_in_replies():
    script = Script(("draw", {}), ("fail", {}), "Done.")
    result = asyncio.run(run_agent(script, "Draw", mcp=Plain().server))
    assert result.final_output == "Done."
    assert list(script.tools) == ["draw", "fail"]
    assert script.reply(1) == "Here it is:\ninput_image"
    assert script.reply(2) == "No paper."


def test_prompts_are_there_for_agents_that_ask_for_them():
    async def main():
        tools = McpTools(Client(Plain().server))
        await tools.connect()
        try:
            assert [prompt.name for prompt in (await tools.list_prompts()).prompts] == ["greet"]
            return await tools.get_prompt("greet", {"who": "Ida"})
        finally:
            await tools.cleanup()

    assert asyncio.run(main()).description == "greet {'who': 'Ida'}"


def imported_without(monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    monkeypatch.delitem(sys.modules, "squall.integrations.openai_agents")
    with pytest.raises(ModuleNotFoundError) as caught:
        importlib.import_module("squall.integrations.openai_agents")
    return caught.value


def test_without_openai_agents_the_error_says_what_to_install(monkeypatch):
    error = imported_without(monkeypatch, "agents")
    assert error.name == "agents"
    assert str(error) == 'squall.integrations.openai_agents needs openai-agents: pip install "squall[openai-agents]"'


def test_what_is_missing_inside_openai_agents_is_told_as_it_is(monkeypatch):
    error = imported_without(monkeypatch, "agents.mcp")
    assert error.name == "agents.mcp"
    assert "squall[" not in str(error)


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("", "comes first: rename that one"),
        ("from json import nothing", "cannot import name 'nothing' from 'json'"),
    ],
)
def test_a_module_of_ones_own_that_is_called_agents_is_named(monkeypatch, tmp_path, source, words):
    mine = tmp_path / "agents.py"
    mine.write_text(source, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "agents")
    monkeypatch.delitem(sys.modules, "squall.integrations.openai_agents")
    with pytest.raises(ImportError) as caught:
        importlib.import_module("squall.integrations.openai_agents")
    assert words in str(caught.value)
    assert source or str(mine) in str(caught.value)
