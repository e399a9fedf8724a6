"""MCP in memory: squall's server, recorded as users have it, against bare servers of the same SDK.

`mcp.Client(server)` calls one tool again and again. The bare servers answer with an equal payload from a dict: one
built by hand on the SDK's lowest level, which is all that the SDK can do, and one with its decorator, as people write
servers. Each turn is a run of its own; connecting and the first calls are not timed. Seconds are of CPU time.
"""

from __future__ import annotations

import asyncio
import gc
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from time import process_time
from typing import Any

import mcp_types as types
from _table import Figure, at_least, median, plain, quiet, show
from _worlds import world_of
from mcp import Client
from mcp.server import MCPServer
from mcp.server.lowlevel import Server

import squall

SIZES = (30, 100_000)
CALLS = 400
WARM = 40
ROUNDS = 15
LEAST = 0.85
Payloads = Mapping[str, Any]


def by_hand(tool: types.Tool, argument: str, payloads: Payloads) -> Server[Any]:
    """The least server that there is: it finds the payload in a dict and writes it down."""

    async def list_tools(_context: Any, _params: Any) -> types.ListToolsResult:
        return types.ListToolsResult(tools=[tool])

    async def call_tool(_context: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
        payload = payloads[(params.arguments or {})[argument]]
        structured = payload if isinstance(payload, dict) else {"result": payload}
        text = json.dumps(payload, ensure_ascii=False)
        return types.CallToolResult(content=[types.TextContent(text=text)], structured_content=structured)

    return Server("bare", on_list_tools=list_tools, on_call_tool=call_tool)


def decorated(name: str, argument: str, payloads: Payloads) -> MCPServer:
    """A server as people write it: a function with a decorator."""
    server = MCPServer("decorated")
    kind = "list[dict[str, Any]]" if isinstance(next(iter(payloads.values())), list) else "dict[str, Any]"
    scope: dict[str, Any] = {"Any": Any, "payloads": payloads}
    exec(f"def {name}({argument}: str) -> {kind}:\n    return payloads[{argument}]", scope)  # noqa: S102 - a name from here
    server.tool()(scope[name])
    return server


async def asked(server: Any, tool: str, argument: str, keys: list[str]) -> tuple[float, Any]:
    """CPU seconds for all the calls, and the last answer."""
    async with Client(server) as client:
        await client.list_tools()
        for key in keys[:WARM]:
            await client.call_tool(tool, {argument: key})
        with quiet():
            began = process_time()
            for key in keys:
                answer = await client.call_tool(tool, {argument: key})
            took = process_time() - began
    return took, answer.structured_content


def squalls(path: Path, tool: str, argument: str, keys: list[str]) -> tuple[float, Any]:
    """A run over squall's server; it must have been recorded."""
    with squall.world(path) as run:
        took = asyncio.run(asked(run.mcp_server, tool, argument, keys))
    assert run.trace.count(tool) == len(keys) + WARM
    return took


def compared(path: Path, tool: str, argument: str) -> list[list[float]]:
    """Seconds by server (squall's, by hand, decorated), in turns."""
    with squall.world(path) as run:
        ids = [row.id for row in (run.world.orders if argument == "id" else run.world.customers).all()]
        keys = (ids * (CALLS // len(ids) + 1))[:CALLS]
        payloads = {key: run.world.call(tool, {argument: key}) for key in keys}
        described = next(each for each in asyncio.run(run.mcp_server.list_tools()) if each.name == tool)
    servers: list[Callable[[], tuple[float, Any]]] = [
        lambda: squalls(path, tool, argument, keys),
        lambda: asyncio.run(asked(by_hand(described, argument, payloads), tool, argument, keys)),
        lambda: asyncio.run(asked(decorated(tool, argument, payloads), tool, argument, keys)),
    ]
    took: list[list[float]] = [[], [], []]
    for number in range(ROUNDS + 1):
        answers = []
        for place in range(3) if number % 2 else reversed(range(3)):
            seconds, answer = servers[place]()
            took[place].append(seconds)
            answers.append(answer)
        assert answers[0] == answers[1] == answers[2], "all of them answer alike"
    return [times[1:] for times in took]


def main() -> None:
    figures: list[Figure] = []
    cases = [("get by id", "get_order", "id", rows) for rows in SIZES]
    cases.append(("list by reference", "list_orders", "customer", SIZES[-1]))
    for words, tool, argument, rows in cases:
        ours, hand, decorator = compared(world_of(rows), tool, argument)
        gc.collect()
        name = f"{words}, {rows:,} rows"
        figures += [
            plain(f"{name}: squall", CALLS / median(ours), "calls/s"),
            plain(f"{name}: bare, by hand", CALLS / median(hand), "calls/s"),
            plain(f"{name}: bare, decorated", CALLS / median(decorator), "calls/s"),
            at_least(f"{name}: squall / by hand", median(hand) / median(ours), LEAST, "times"),
            at_least(f"{name}: squall / decorated", median(decorator) / median(ours), LEAST, "times"),
        ]
    show("MCP in memory", figures)


if __name__ == "__main__":
    main()
