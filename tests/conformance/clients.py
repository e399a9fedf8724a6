"""Somebody at the far end of a wire, who makes calls and tells what came of them in the words of `Seen`."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol

import mcp
from mcp.client.stdio import stdio_client

from tests.conformance.fault_over_wire import Seen, result_of, seen_in_python, seen_over_mcp


class Client(Protocol):
    """Somebody at the far end of a wire."""

    async def call(self, tool: str, args: Mapping[str, Any]) -> Seen:
        """Make a call, and tell what came of it. If this is cancelled, the caller has given up."""
        ...

    async def tools(self) -> list[str]:
        """The names of the tools that there are."""
        ...


Make = Callable[[Any], AbstractAsyncContextManager[Client]]


class _ByCallables:
    def __init__(self, run: Any) -> None:
        self._run = run

    async def call(self, tool: str, args: Mapping[str, Any]) -> Seen:
        try:
            return Seen("value", await self._run.tools.aio[tool](**args))
        except Exception as error:
            return seen_in_python(error)

    async def tools(self) -> list[str]:
        return [tool.__name__ for tool in self._run.tools]


class _BySyncCallables(_ByCallables):
    async def call(self, tool: str, args: Mapping[str, Any]) -> Seen:
        try:
            return Seen("value", self._run.tools[tool](**args))
        except Exception as error:
            return seen_in_python(error)


class _ByMcp:
    def __init__(self, client: mcp.Client) -> None:
        self._client = client

    async def call(self, tool: str, args: Mapping[str, Any]) -> Seen:
        try:
            return result_of(await self._client.call_tool(tool, dict(args)))
        except Exception as error:
            return seen_over_mcp(error)

    async def tools(self) -> list[str]:
        pages = [await self._client.list_tools(cache_mode="bypass")]
        while cursor := pages[-1].next_cursor:
            pages.append(await self._client.list_tools(cursor=cursor))
        return [tool.name for page in pages for tool in page.tools]


@asynccontextmanager
async def by_callables(run: Any) -> AsyncIterator[Client]:
    """`await tools.aio.NAME(...)`: what the others are compared with."""
    yield _ByCallables(run)


@asynccontextmanager
async def by_sync_callables(run: Any) -> AsyncIterator[Client]:
    """`tools.NAME(...)`: one call after another, and nobody gives up on one."""
    yield _BySyncCallables(run)


def by_mcp(where: str, mode: str) -> Make:
    """The official client before `run.mcp_server` or `run.mcp_url`."""

    @asynccontextmanager
    async def make(run: Any) -> AsyncIterator[Client]:
        async with mcp.Client(getattr(run, where), mode=mode) as client:
            yield _ByMcp(client)

    return make


def by_stdio(mode: str) -> Make:
    """The official client before a process, whose events are the run's once it has ended."""

    @asynccontextmanager
    async def make(run: Any) -> AsyncIterator[Client]:
        async with mcp.Client(stdio_client(run.mcp_stdio), mode=mode) as client:
            yield _ByMcp(client)

    return make


def by_http_process(mode: str) -> Make:
    """The official client before `squall serve --http`, a process that is started as `mcp_stdio` says."""

    @asynccontextmanager
    async def make(run: Any) -> AsyncIterator[Client]:
        how = run.mcp_stdio
        arguments = (how.command, *how.args, "--http", "--port", "0")
        process = await asyncio.create_subprocess_exec(*arguments, env=how.env, stderr=asyncio.subprocess.PIPE)
        try:
            assert process.stderr is not None
            url = (await process.stderr.readline()).decode().split(" at ")[1].split()[0]
            async with mcp.Client(url, mode=mode) as client:
                yield _ByMcp(client)
        finally:
            process.terminate()
            await process.wait()

    return make
