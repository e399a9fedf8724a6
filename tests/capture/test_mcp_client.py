"""MCP client sessions: tools of other servers, and those of the run's own world, which record themselves."""

from __future__ import annotations

import mcp
import pytest
from mcp.server.mcpserver import MCPServer

import squall
from squall.trace.kinds import ToolCall, ToolResult

pytestmark = pytest.mark.asyncio


def other():
    """A server that squall knows nothing of."""
    server = MCPServer("other")

    @server.tool()
    def add(a: int, b: int) -> dict[str, int]:
        """Add."""
        return {"sum": a + b}

    @server.tool()
    def fail(why: str) -> str:
        """Fail."""
        raise ValueError(why)

    return server


def events(run):
    return [each.event for each in run.trace if isinstance(each.event, ToolCall | ToolResult)]


async def test_a_call_of_a_tool_is_recorded_with_what_came_of_it():
    with squall.run("r") as run:
        async with mcp.Client(other()) as client:
            result = await client.call_tool("add", {"a": 1, "b": 2})
    assert type(result).__name__ == "CallToolResult"
    call, came = events(run)
    assert (call.tool, call.target, call.args) == ("add", "mcp.add", {"a": 1, "b": 2})
    assert (came.ok, came.result) == (True, {"sum": 3})


async def test_a_tool_that_fails_says_so():
    with squall.run("r") as run:
        async with mcp.Client(other()) as client:
            await client.call_tool("fail", {"why": "no luck"})
    _, came = events(run)
    assert (came.ok, came.form) == (False, "refused")
    assert came.error == "Error executing tool fail"


async def test_outside_a_run_nothing_happens():
    async with mcp.Client(other()) as client:
        assert (await client.call_tool("add", {"a": 1, "b": 2})).structured_content == {"sum": 3}


WORLD = """
name: shop
services:
  shop:
    records:
      order: { id: str, amount: int[1..] }
    seed:
      order: [{ id: o1, amount: 5 }]
    operations:
      get_order: { kind: get, record: order }
"""


async def test_tools_of_the_runs_own_world_are_recorded_once(tmp_path):
    path = tmp_path / "shop.yaml"
    path.write_text(WORLD, encoding="utf-8")
    with squall.world(path) as run:
        async with mcp.Client(run.mcp_server) as client:
            await client.call_tool("get_order", {"id": "o1"})
    assert [type(each).__name__ for each in events(run)] == ["ToolCall", "ToolResult"]
    assert events(run)[0].target == "shop.get_order"


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("where", ["mcp_server", "mcp_url"])
async def test_a_tool_that_the_runs_own_world_lacks_is_recorded_once(tmp_path, where, mode):
    path = tmp_path / "shop.yaml"
    path.write_text(WORLD, encoding="utf-8")
    with squall.world(path) as run:
        async with mcp.Client(getattr(run, where), mode=mode) as client:
            with pytest.raises(mcp.MCPError, match="Unknown tool"):
                await client.call_tool("get_ordre", {"id": "o1"})
    call, came = events(run)
    assert (call.call, call.tool, came.form) == (1, "get_ordre", "unknown_tool")


async def test_a_tool_that_another_server_lacks_is_recorded_too_whatever_it_calls_itself(tmp_path):
    path = tmp_path / "shop.yaml"
    path.write_text(WORLD, encoding="utf-8")
    with squall.world(path) as run:
        async with mcp.Client(MCPServer("shop")) as client:
            assert (await client.call_tool("get_ordre", {"id": "o1"})).is_error
    assert [each.target for each in events(run) if isinstance(each, ToolCall)] == ["mcp.get_ordre"]
