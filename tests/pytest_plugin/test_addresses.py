"""The fixtures mcp_url and mcp_stdio, as a user's tests have them."""

from __future__ import annotations

from textwrap import dedent

import pytest

WORLD = """\
name: till
services:
  till:
    records: { sale: { id: str, amount: float } }
    operations:
      sell: { kind: create, record: sale }
      list_sales: { kind: list, record: sale }
"""
WALL = '@pytest.mark.clock("wall")'
AGENT = """\
import asyncio
import mcp
import pytest
from mcp.client.stdio import stdio_client

pytestmark = pytest.mark.world("till.yaml")
LOST = pytest.mark.faults([{"target": "till.sell", "kind": "timeout", "nth": 1}])

async def sell(server, mode="auto"):
    async with mcp.Client(server, mode=mode, read_timeout_seconds=30) as client:
        for _ in range(2):
            try:
                return await client.call_tool("sell", {"amount": 5})
            except mcp.MCPError:
                pass
"""


@pytest.fixture
def till(session, pytester):
    (pytester.path / "till.yaml").write_text(WORLD, encoding="utf-8")

    def run(tests, *args):
        return session(AGENT + dedent(tests), *args)

    return run


def test_a_url_is_served_in_the_tests_own_loop_whoever_runs_it(till):
    done = till(
        """
        @LOST
        @pytest.mark.asyncio
        @pytest.mark.parametrize("mode", ["auto", "legacy"])
        async def test_asyncio(world, mcp_url, clock, mode):
            await sell(mcp_url, mode)
            assert clock.elapsed() == 30
            assert len(world.sales) == 2 == len(mcp_url.snapshot()["till.sale"])

        @LOST
        @pytest.mark.anyio
        async def test_anyio(world, mcp_url, clock, anyio_backend_name):
            await sell(mcp_url)
            assert clock.elapsed() == 30

        @pytest.fixture
        def anyio_backend():
            return "asyncio"

        @LOST
        def test_sync(world, mcp_url, clock):
            asyncio.run(sell(mcp_url))
            assert clock.elapsed() == 30
            assert len(world.sales) == 2

        @LOST
        @pytest.mark.runs(3)
        @pytest.mark.min_pass_rate(1.0)
        @pytest.mark.asyncio
        async def test_gate(world, mcp_url):
            await sell(mcp_url)
            assert len(world.sales) == 1
        """,
        "-W",
        "error",
    )
    assert done.counts == {"passed": 4, "failed": 1}
    assert "sell!timeout(after) → sell" in done.text


def test_a_sync_client_is_answered_in_a_thread_and_the_test_is_told(till):
    test = """
    import httpx2
    HELLO = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}}}

    def test_sync(mcp_url):
        headers = {"accept": "application/json, text/event-stream"}
        assert httpx2.post(mcp_url, json=HELLO, headers=headers).status_code == 200
    """
    done = till(test, "-W", "default")
    assert done.counts == {"passed": 1, "warnings": 1}
    assert "the server of mcp_url answered in a thread, in real time" in done.text
    wall = till(test.replace("    def test_sync", f"    {WALL}\n    def test_sync"), "-W", "error")
    assert wall.counts == {"passed": 1}


def test_a_process_has_a_world_of_its_own_and_its_events_are_the_runs(till):
    done = till(
        """
        @LOST
        @pytest.mark.clock("wall")
        @pytest.mark.asyncio
        async def test_process(world, mcp_stdio):
            await asyncio.wait_for(sell(stdio_client(mcp_stdio)), 60)
            assert len(mcp_stdio.snapshot()["till.sale"]) == 1
            [trace] = mcp_stdio.traces()
            assert trace.status == "passed"
            assert len(world.sales) == 0
            assert False, "to see the trace"
        """,
        "-W",
        "error",
    )
    assert done.counts == {"failed": 1}
    assert "AssertionError: to see the trace" in done.text
    assert "sell!timeout(after)" in done.text


def test_a_test_of_a_process_is_on_wall_time_and_told_so(till):
    test = """
    def test_nothing(mcp_stdio, clock):
        assert clock.mode == "wall"
        with pytest.raises(Exception, match="cannot read"):
            mcp_stdio.snapshot()
    """
    done = till(test, "-W", "default")
    assert done.counts == {"passed": 1, "warnings": 1}
    assert "mcp_stdio is on wall time: its server is a process of its own" in done.text


@pytest.mark.parametrize("name", ["mcp_url", "mcp_stdio"])
def test_an_address_needs_a_world(session, name):
    done = session(f"def test_one({name}):\n    pass\n")
    assert f"the fixture '{name}'" in done.text
    assert "mark.world" in done.text
