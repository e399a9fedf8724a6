"""Asks a running MCP server what tools it has: over streamable HTTP, or by starting it and speaking over stdio.

Gives the tools as the protocol lists them, in plain data. Knows no world and no fault.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from typing import Any, NamedTuple

import anyio
from mcp import Client, MCPError, StdioServerParameters
from mcp_types import CONNECTION_CLOSED

from squall.errors import Problem, UsageError, shown

MAX_TOOLS = 2000
"""A server that lists more tools than this is asked no further."""

# The SDK logs each line of a server that is no message, with its traceback; what is wrong in the end is told once.
logging.getLogger("mcp").addHandler(logging.NullHandler())


class Listing(NamedTuple):
    """What a server calls itself, if it does, and its tools."""

    name: str | None
    tools: tuple[dict[str, Any], ...]


def list_tools(server: str | Sequence[str], *, wait: float = 30.0) -> Listing:
    """The tools of the server at a URL, or of the one that a command starts.

    Raises UsageError when it cannot be reached or started, or has not answered within `wait` seconds.
    """
    return anyio.run(_listed, server, wait)


async def _listed(server: str | Sequence[str], wait: float) -> Listing:
    called = shown(server if isinstance(server, str) else " ".join(server))
    try:
        with anyio.fail_after(wait):
            return await _asked(server)
    except TimeoutError:
        message = f"the MCP server {called} has not told its tools within {wait:g} s"
        raise UsageError(Problem(message, hint="Is it an MCP server? Give a slow one more time with --wait.")) from None
    except Exception as error:  # noqa: BLE001 - whatever a server or its transport does wrong is told to the user
        cause = _innermost(error)
        is_url = isinstance(server, str)
        message, hint = _said(cause, is_url=is_url)
        raise UsageError(Problem(f"the MCP server {called} {message}", hint=hint)) from cause


async def _asked(server: str | Sequence[str]) -> Listing:
    where = server if isinstance(server, str) else _parameters(server)
    tools: list[dict[str, Any]] = []
    async with Client(where) as client:
        cursor: str | None = None
        while len(tools) < MAX_TOOLS:
            page = await client.list_tools(cursor=cursor)
            tools += [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in page.tools]
            if page.next_cursor is None or page.next_cursor == cursor or not page.tools:
                break
            cursor = page.next_cursor
        info = client.server_info
        return Listing(info.name if info else None, tuple(tools[:MAX_TOOLS]))


def _parameters(command: Sequence[str]) -> StdioServerParameters:
    """As the command would run in the user's own shell."""
    return StdioServerParameters(command=command[0], args=list(command[1:]), env=dict(os.environ))


def _innermost(error: BaseException) -> BaseException:
    """The error that task groups have wrapped."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


def _said(error: BaseException, *, is_url: bool) -> tuple[str, str]:
    """What went wrong, and what to do."""
    said = " ".join(str(error).split()) or type(error).__name__
    if isinstance(error, MCPError) and error.code != CONNECTION_CLOSED:
        return f"refuses to tell its tools: {said}", "Is it an MCP server that has tools?"
    if is_url:
        return f"cannot be reached: {said}", "Is it running? The address is its whole URL, which often ends in /mcp."
    if isinstance(error, OSError):
        return f"cannot be started: {error.strerror or said}", "Is the command right? It stands after --."
    return f"ended before it told its tools: {said}", "Run its command by itself to see why."
