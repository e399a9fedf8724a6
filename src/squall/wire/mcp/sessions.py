"""The sessions of one server: those that are open, those that it has forgotten, and how all of them end at once.

Knows connections and event loops, and not why a session ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakKeyDictionary, WeakSet

import mcp_types as types
from mcp.server.connection import Connection
from mcp.server.context import CallNext, HandlerResult
from mcp.shared.exceptions import MCPError

from squall.clock.real import running_loop
from squall.wire.mcp.caller import Context, connection_of, has_session

NOT_FOUND = "Session not found"
FATE = "squall.fate"  # under which an HTTP request's scope holds its `Fate`


class Fate:
    """What becomes of one HTTP request besides its reply; whoever carries it acts on it."""

    lost = False


class Sessions:
    """Watches every request as the SDK's middleware does."""

    def __init__(self) -> None:
        self._open: WeakKeyDictionary[Connection, asyncio.AbstractEventLoop | None] = WeakKeyDictionary()
        self._forgotten: WeakSet[Connection] = WeakSet()
        self._endings: list[Callable[[], None]] = []

    async def watch(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Let a request pass, unless its session is forgotten."""
        connection = connection_of(ctx)
        if has_session(ctx):
            if ctx.method == "initialize":
                self._forgotten.discard(connection)
            elif connection in self._forgotten and ctx.request_id is not None:
                raise MCPError(code=types.INVALID_REQUEST, message=NOT_FOUND)
            self._open[connection] = running_loop()
        return await call_next(ctx)

    def forget(self, context: Context) -> None:
        """Know the session of a request no more; where there are no sessions, the request alone is lost."""
        request: Any = context.request
        if request is not None and FATE in request.scope:
            request.scope[FATE].lost = True
        elif has_session(context):
            self._forgotten.add(connection_of(context))

    async def tell_that_tools_changed(self) -> None:
        """Send `notifications/tools/list_changed` to every open session that this loop serves."""
        loop = running_loop()
        for connection, served_in in list(self._open.items()):
            if served_in is loop and connection not in self._forgotten:
                await connection.send_tool_list_changed()

    def exit(self) -> None:
        """End all sessions at once, as a server does that exits."""
        self._open.clear()
        for end in list(self._endings):
            end()

    @contextmanager
    def ending_by(self, end: Callable[[], None]) -> Iterator[None]:
        """While the context lives, `exit` calls `end`, in the loop that runs here now."""
        loop = running_loop()

        def called() -> None:
            if loop is None or loop is running_loop():
                end()
            elif not loop.is_closed():
                loop.call_soon_threadsafe(end)

        self._endings.append(called)
        try:
            yield
        finally:
            self._endings.remove(called)
