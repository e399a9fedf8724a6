"""The tools of a scenario's steps as an MCP server at an address of this machine. Imports the SDK: 0.8 s."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

from squall.clock import Clock
from squall.wire.loopback import HOST, Loopback
from squall.wire.mcp import McpServer
from squall.wire.mcp.http import PATH, Endpoint
from squall.wire.mcp.listening import Http


def served(name: str, interposer: Any, operations: Mapping[str, Any], clock: Clock) -> tuple[str, Callable[[], None]]:
    """Serve until the second of the two is called; the first is the address."""
    server = McpServer(name, interposer, operations)

    @asynccontextmanager
    async def serving() -> AsyncIterator[tuple[Http, asyncio.Event]]:
        endpoint, exited = Endpoint(server, HOST), asyncio.Event()
        with server.sessions.ending_by(exited.set):
            async with endpoint.running():
                yield Http(endpoint), exited

    loopback = Loopback(serving, clock, name="mcp_url", path=PATH)
    return loopback.url, loopback.close
