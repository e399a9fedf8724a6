"""Faults of the session before a process over stdio: what the official client sees of them, in both eras of MCP.

What ends the session, or the server, is in `test_fault_over_stdio`. Time is real, and nothing depends on its length.
"""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress

import mcp
import mcp_types as types
import pytest
from mcp.client.stdio import stdio_client
from mcp.client.subscriptions import ToolsListChanged
from mcp.shared.exceptions import MCPError

from squall.trace.kinds import Abandoned
from tests.conformance.played import so_far
from tests.conformance.world_over_wire import until

MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])
PAY = ("pay", {"order_id": "1"})
DROPPED = "dropping response for unknown/late request id"
RULES = (
    {"target": "session.list_tools", "kind": "paged_tools", "page_size": 4, "nth": 1},
    {"target": "payments.pay", "kind": "progress_only", "nth": 1, "beat": 0.02, "answer_after": 3600},
    {"target": "payments.pay", "kind": "progress_only", "nth": 2, "beat": 0.02, "answer_after": 0.07},
    {"target": "payments.pay", "kind": "late_reply", "nth": 3, "gone_for": 0.02, "answer_after": 3600},
    {"target": "payments.pay", "kind": "late_reply", "nth": 4, "answer_after": 0.02},
    {"target": "payments.pay", "kind": "tool_removed", "nth": 5},
)


class Ears:
    """What a client hears besides replies."""

    def __init__(self):
        self.progress: list[float] = []
        self.changes: list[str] = []

    async def on_progress(self, count, _total, _message):
        self.progress.append(count)

    async def on_message(self, message):
        if isinstance(message, types.ToolListChangedNotification):
            self.changes.append("told")


async def pages_of(client):
    pages = [await client.list_tools()]
    while pages[-1].next_cursor:
        pages.append(await client.list_tools(cursor=pages[-1].next_cursor))
    return [[tool.name for tool in page.tools] for page in pages]


async def given_up(call, when):
    """Wait for a moment, and then for the reply no more."""
    task = asyncio.ensure_future(call)
    await until(when)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@asynccontextmanager
async def changes_heard(client, mode, ears):
    """A client that is told when the list of tools changes: in a session by a notification, else because it listens."""
    if mode == "legacy":
        yield
        return
    async with client.listen(tools_list_changed=True) as events:

        async def listen():
            async for event in events:
                assert isinstance(event, ToolsListChanged)
                ears.changes.append("to who listens")

        task = asyncio.ensure_future(listen())
        try:
            yield
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task


@MODES
def test_what_a_client_sees_of_the_weather_of_its_session(begin, mode, caplog):
    """One process, one story: pages, progress without a reply, a late reply, and a tool that is gone."""
    ears = Ears()

    async def agent(run):
        async with (
            mcp.Client(stdio_client(run.mcp_stdio), mode=mode, message_handler=ears.on_message) as client,
            changes_heard(client, mode, ears),
        ):
            pages = await pages_of(client)
            assert [len(page) for page in pages] == [4, 3]
            assert [name for page in pages for name in page] == list(run.world.operations)

            await given_up(client.call_tool(*PAY, progress_callback=ears.on_progress), lambda: ears.progress)
            ears.progress.clear()
            assert (await client.call_tool(*PAY, progress_callback=ears.on_progress)).is_error
            assert ears.progress == [1, 2, 3, 4]

            await given_up(client.call_tool(*PAY), lambda: len(run.mcp_stdio.snapshot()["payments.payment"]) == 3)
            await until(lambda: DROPPED in caplog.text)
            assert (await client.call_tool(*PAY)).structured_content == {"id": "4", "order_id": "1", "amount": 10.0}

            with pytest.raises(MCPError, match="Unknown tool: pay"):
                await client.call_tool(*PAY)
            await until(lambda: ears.changes)
            listed = [tool.name for tool in (await client.list_tools(cache_mode="bypass")).tools]
            assert listed == [name for name in run.world.operations if name != "pay"]

    with caplog.at_level("DEBUG", logger="mcp"), begin(*RULES, clock="wall") as run:
        asyncio.run(agent(run))
        assert run.finish().status == "passed", "each rule has fired"
        assert len(run.mcp_stdio.snapshot()["payments.payment"]) == 4
    assert ("to who listens" in ears.changes) == (mode == "auto")
    assert ears.changes.count("told") == 1
    assert [fault.fault for fault in run.trace.faults()] == [rule["kind"] for rule in RULES]
    gone = [event for _, event in run.trace if isinstance(event, Abandoned)]
    assert [(event.call, event.told, event.operation) for event in gone] == [(1, True, "done"), (3, True, "done")]


@MODES
def test_what_is_under_way_when_the_server_exits_is_not_answered_and_not_done(begin, mode):
    async def agent(run):
        async with mcp.Client(stdio_client(run.mcp_stdio), mode=mode) as client:
            waiting = asyncio.ensure_future(client.call_tool("pay_when_paid", {"order_id": "1", "times": 9}))
            await until(lambda: so_far(run, "tool_call") == 1)
            for call in (client.call_tool(*PAY), waiting, client.list_tools(cache_mode="bypass")):
                with pytest.raises(MCPError, match="Connection closed"):
                    await call

    with begin({"target": "payments.pay", "kind": "server_exit", "nth": 1}, clock="wall") as run:
        asyncio.run(agent(run))
        assert run.finish().status == "passed"
        assert [row["amount"] for row in run.mcp_stdio.snapshot()["payments.payment"].values()] == [10.0]
    assert run.trace.line() == "pay_when_paid✗ → pay!server_exit(after)"
    gone = [event for _, event in run.trace if isinstance(event, Abandoned)]
    assert [(event.call, event.told, event.operation) for event in gone] == [(1, False, "not_run")]
