"""Streamable HTTP: the SDK's session manager as an ASGI application at one path, and who may talk to it.

Knows no sockets (`listening.py` has them) and no faults.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from mcp_types import INVALID_REQUEST, ErrorData, JSONRPCError
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from squall.wire.mcp.server import McpServer
from squall.wire.mcp.sessions import FATE, NOT_FOUND, Fate

PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - compared with, not bound to
LARGEST = 4 * 2**20  # bytes of one request
NO_NAME = [(b"host", b"localhost")]
SESSION = b"mcp-session-id"
_GONE = Response(
    JSONRPCError(jsonrpc="2.0", id=None, error=ErrorData(code=INVALID_REQUEST, message=NOT_FOUND)).model_dump_json(
        by_alias=True, exclude_unset=True
    ),
    status_code=404,
    media_type="application/json",
)


class Endpoint:
    """One server at `/mcp`. Serves while `running()` is entered, which can be done once.

    A `host` of this machine alone is what browsers on it may reach by its loopback names; at another address its own
    name counts besides. Where every address is listened on, nobody can say which names lead here, and `Host` is not
    looked at; `Origin` always is.
    """

    def __init__(self, server: McpServer, host: str) -> None:
        self._any_name = host in EVERYWHERE
        self._holds = server.may_forget_sessions
        self._manager = StreamableHTTPSessionManager(
            server,
            security_settings=allowed(host),
            session_idle_timeout=None,  # a session lives as long as the server: no timer may end it early
            max_request_body_size=LARGEST,
        )

    def running(self) -> AbstractAsyncContextManager[None]:
        """The sessions live as long as this context."""
        return self._manager.run()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            return
        if scope["path"].rstrip("/") != PATH:
            await Response("Not Found", status_code=404)(scope, receive, send)
            return
        if self._any_name:
            headers = [pair for pair in scope["headers"] if pair[0] != b"host"]
            scope = {**scope, "headers": NO_NAME + headers}
        if self._holds:
            send = self._watched(scope, send)
        await self._manager.handle_request(scope, receive, send)

    def _watched(self, scope: Scope, send: Send) -> Send:
        """`send`, but it holds the status back until there is more to send, and makes it 404 if the session is lost."""
        fate = scope[FATE] = Fate()
        held: list[Message] = []
        answered = False

        async def watched(message: Message) -> None:
            nonlocal answered
            if fate.lost:
                if not answered:
                    answered = True
                    await self._forget(scope)
                    await _GONE(scope, _nothing_more, send)
            elif message["type"] == "http.response.start":
                held.append(message)
            else:
                while held:
                    await send(held.pop())
                await send(message)

        return watched

    async def _forget(self, scope: Scope) -> None:
        """End the session of a request, as if its client had done so."""
        if any(name == SESSION for name, _ in scope["headers"]):
            asked = {**scope, "method": "DELETE"}
            del asked[FATE]
            await self._manager.handle_request(asked, _nothing_more, _nowhere)


async def _nothing_more() -> Message:
    return {"type": "http.request", "body": b"", "more_body": False}


async def _nowhere(_message: Message) -> None:
    """Nobody hears of it."""


def allowed(host: str) -> TransportSecuritySettings:
    """Which `Host` and `Origin` a server at this address takes: this machine's names, and the address's own."""
    names = list(LOOPBACK)
    own = f"[{host}]" if ":" in host else host
    if host not in EVERYWHERE and own not in names:
        names.append(own)
    return TransportSecuritySettings(
        allowed_hosts=[*names, *(f"{name}:*" for name in names)],
        allowed_origins=[
            f"{scheme}://{name}{port}" for scheme in ("http", "https") for name in names for port in ("", ":*")
        ],
    )
