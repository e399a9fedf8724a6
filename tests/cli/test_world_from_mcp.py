"""`squall world-from-mcp`, against real servers: processes that speak over stdio, and one over HTTP."""

from __future__ import annotations

import sys
import threading
from pathlib import Path

import pytest
import uvicorn
from mcp.server.mcpserver import MCPServer

from squall.wire.mcp import listing

SHOP = """\
from mcp.server.mcpserver import MCPServer
from pydantic import BaseModel

server = MCPServer("Corner Shop")


class Order(BaseModel):
    id: str
    status: str
    total: float


@server.tool()
def get_order(order_id: str) -> Order:
    \"\"\"One order.\"\"\"
    raise SystemExit("a tool was called")


@server.tool()
def list_orders(status: str | None = None, limit: int = 10) -> list[Order]:
    \"\"\"The orders.\"\"\"
    raise SystemExit("a tool was called")


@server.tool()
def refund(order_id: str, amount: float) -> str:
    \"\"\"Pay an order back.\"\"\"
    raise SystemExit("a tool was called")


server.run()
"""


SERVER = """\
import anyio
import mcp_types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server


async def tools(context, params):
    first = int(params.cursor or 0) if params else 0
    listed = [types.Tool(name=f"t{{n}}", input_schema={{"type": "object"}}) for n in range(first, first + 2)]
    return types.ListToolsResult(tools=listed, next_cursor=str(first + 2))


async def main():
    server = Server("bare"{handlers})
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


anyio.run(main)
"""


@pytest.fixture
def shop(write):
    write("shop.py", SHOP)
    return (sys.executable, "shop.py")


def test_a_world_is_drafted_from_a_server_that_a_command_starts(squall, shop, write):
    done = squall("world-from-mcp", "--output", "shop.yaml", "--handlers", "shop_rules.py", "--", *shop)
    assert (done.status, done.err) == (0, "")
    assert done.out == ("shop.yaml: a draft with 1 record, 2 operations\nleft in comments, for you to write: refund\n")
    text = Path("shop.yaml").read_text(encoding="utf-8")
    assert text.startswith("# A draft of the tools of the MCP server Corner Shop.")
    assert "order: { id: str, status: str, total: float }" in text
    assert "get_order: { kind: get, record: order, description: One order. }" in text
    assert "list_orders: { kind: list, record: order, filter: [status], description: The orders. }" in text
    assert "# refund: { kind: custom, handler: shop_rules.refund, description: Pay an order back. }" in text
    assert squall("validate", "shop.yaml").status == 0
    stubs = Path("shop_rules.py").read_text(encoding="utf-8")
    assert "def refund(world, clock, order_id: str, amount: float):" in stubs


@pytest.fixture
def url():
    """A server over HTTP, in a thread of its own."""
    server = MCPServer("Pets")
    server.add_tool(lambda pet_id: "", name="get_pet", description="One pet.")
    app = server.streamable_http_app()
    runner = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error", lifespan="on"))
    thread = threading.Thread(target=runner.run)
    thread.start()
    while thread.is_alive() and not runner.started:
        thread.join(0.01)
    port = runner.servers[0].sockets[0].getsockname()[1]
    yield f"http://127.0.0.1:{port}/mcp"
    runner.should_exit = True
    thread.join(20)


def test_a_world_is_drafted_from_a_server_at_a_url(squall, url):
    done = squall("world-from-mcp", url, "--name", "zoo")
    assert (done.status, done.err) == (0, "")
    assert "name: zoo\n" in done.out
    assert "get_pet: { kind: get, record: pet, description: One pet. }" in done.out
    assert "zoo:\n    records:" in done.out


def refusal(done):
    assert (done.status, done.out) == (2, "")
    return done.err.replace(sys.executable, "python")


def test_a_command_that_is_not_there_is_said(squall):
    said = refusal(squall("world-from-mcp", "--", "no-such-server", "--port", "1"))
    assert said == (
        "error: the MCP server 'no-such-server --port 1' cannot be started: No such file or directory\n"
        "    Is the command right? It stands after --.\n"
    )


@pytest.mark.parametrize("code", ["", "print('Welcome!')"])
def test_a_program_that_is_no_server_is_said(squall, code):
    said = refusal(squall("world-from-mcp", "--", sys.executable, "-c", code))
    assert "ended before it told its tools: Connection closed\n    Run its command by itself to see why.\n" in said


def test_a_server_that_never_answers_is_waited_for_no_longer_than_asked(squall):
    said = refusal(
        squall("world-from-mcp", "--wait", "300ms", "--", sys.executable, "-c", "import sys; sys.stdin.read()")
    )
    assert (
        "has not told its tools within 0.3 s\n    Is it an MCP server? Give a slow one more time with --wait.\n" in said
    )


def test_an_address_where_nobody_is_is_said(squall):
    said = refusal(squall("world-from-mcp", "http://127.0.0.1:9/mcp"))
    assert said.startswith("error: the MCP server 'http://127.0.0.1:9/mcp' cannot be reached: ")


def test_a_server_without_tools_is_said(squall, write):
    write("bare.py", SERVER.format(handlers=""))
    assert "refuses to tell its tools: " in refusal(squall("world-from-mcp", "--", sys.executable, "bare.py"))


def test_the_files_are_looked_at_before_the_server_is_asked(squall, write):
    write("shop.yaml", "mine")
    said = refusal(squall("world-from-mcp", "--output", "shop.yaml", "--", "no-such-server"))
    assert said.startswith("error: shop.yaml: this file is there already")


def test_a_wait_that_is_no_time_is_said(squall):
    assert refusal(squall("world-from-mcp", "--wait", "soon", "x")).startswith(
        "error: --wait: 'soon' is no length of time"
    )


def test_the_servers_own_options_are_left_alone(squall):
    assert "'no-such-server --debug'" in refusal(squall("world-from-mcp", "--", "no-such-server", "--debug"))


def test_a_server_that_lists_without_end_is_asked_no_further(monkeypatch, write):
    write("endless.py", SERVER.format(handlers=", on_list_tools=tools"))
    monkeypatch.setattr(listing, "MAX_TOOLS", 7)
    found = listing.list_tools([sys.executable, "endless.py"], wait=20)
    assert [tool["name"] for tool in found.tools] == [f"t{n}" for n in range(7)]
    assert found.name == "bare"
