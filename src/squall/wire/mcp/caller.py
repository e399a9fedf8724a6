"""The far end of one request, as the SDK's server sees it: what a client can be told besides the reply.

The SDK's public context has no word for a cancellation that came in, nor for a reply to a request that was given up;
all that reaches behind it is in this module.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from mcp.server.connection import Connection
from mcp.server.context import ServerRequestContext
from mcp_types import CallToolResult
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS

from squall.call import Form, Outcome
from squall.clock.real import running_loop

Context = ServerRequestContext[Any, Any]
IN_PROCESS = "direct"  # the SDK's name for a client that calls the server's functions: no messages, no sessions


def connection_of(context: Context) -> Connection:
    """The connection that a request came through: one for a session, or (where there are none) for each request."""
    connection: Connection = context.session._connection  # noqa: SLF001 - see above
    return connection


def dispatch_of(context: Context) -> Any:
    """The dispatcher's own view of a request."""
    inner = context.session._request_outbound  # noqa: SLF001 - see above
    return getattr(inner, "_inner", inner)


def in_process(context: Context) -> bool:
    """Whether the client calls the server's functions, without messages between them."""
    return bool(dispatch_of(context).transport.kind == IN_PROCESS)


def has_session(context: Context) -> bool:
    """Whether the protocol version that is spoken has sessions."""
    return context.protocol_version in HANDSHAKE_PROTOCOL_VERSIONS


class McpCaller:
    """The client that waits for one call. `worded` puts an outcome into the protocol's words."""

    def __init__(self, context: Context, worded: Callable[[Outcome], CallToolResult]) -> None:
        self._context, self._worded = context, worded
        self._loop = running_loop()

    @property
    def may_lose(self) -> tuple[Form, ...]:
        """Its session where there is one, and the server unless the client calls its functions."""
        session: tuple[Form, ...] = ("session_lost",) if has_session(self._context) else ()
        return session if in_process(self._context) else (*session, "exited")

    def told(self) -> bool:
        """Whether the client has said that it waits no more: by a message, or, without sessions, by its leaving."""
        by_leaving = in_process(self._context) or (self._context.request is not None and not has_session(self._context))
        return by_leaving or bool(dispatch_of(self._context).cancel_requested.is_set())

    async def progress(self, count: int) -> None:
        """A notification of progress, if the client asked for them."""
        await dispatch_of(self._context).progress(float(count))

    def answer(self, outcome: Outcome) -> None:
        """Send the reply to a request that was given up, where messages are exchanged."""
        dispatch = dispatch_of(self._context)
        writer = getattr(dispatch, "_dispatcher", None)
        if writer is None or self._loop is None or self._loop.is_closed():
            return
        body = self._worded(outcome).model_dump(by_alias=True, mode="json", exclude_none=True)

        def send() -> None:
            task = asyncio.ensure_future(writer._write_result(dispatch.request_id, body))  # noqa: SLF001 - see above
            _SENDING.add(task)
            task.add_done_callback(_SENDING.discard)

        self._loop.call_soon_threadsafe(send)


_SENDING: set[asyncio.Future[None]] = set()  # or nobody would hold them while they are under way
