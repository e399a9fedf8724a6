"""Streamable HTTP: the SDK's session manager as an ASGI application at one path, and who may talk to it.

Knows no sockets (`listening.py` has them) and no faults.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

import msgspec
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


class _Request(msgspec.Struct):
    """All that matters of a request here."""

    id: int | str
    method: str


_decoder = msgspec.json.Decoder(_Request)


class Endpoint:
    """One server at `/mcp`. Serves while `running()` is entered, which can be done once.

    A `host` of this machine alone is what browsers on it may reach by its loopback names; at another address its own
    name counts besides. Where every address is listened on, nobody can say which names lead here, and `Host` is not
    looked at; `Origin` always is. `idle`: a session that has been left alone for so many seconds is forgotten (None:
    never, so that no timer ends one early).
    """

    def __init__(self, server: McpServer, host: str, *, idle: float | None = None) -> None:
        self._any_name = host in EVERYWHERE
        self._answering: set[tuple[bytes, str]] = set()
        self._holds = server.may_forget_sessions
        self._manager = StreamableHTTPSessionManager(
            server,
            security_settings=allowed(host),
            session_idle_timeout=idle,
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
        session = next((value for name, value in scope["headers"] if name == SESSION), None)
        if session is None or scope["method"] != "POST":
            await self._manager.handle_request(scope, receive, send)
        else:
            await self._in_session(session, scope, receive, send)

    async def _in_session(self, session: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of a session, unless one with its id is being answered: the SDK would mix them up."""
        messages = await _whole(receive)
        name = _id_of(b"".join(message.get("body", b"") for message in messages))
        key = None if name is None else (session, str(name))
        if key in self._answering:
            await _error(400, "the id of the request is in use", name)(scope, _nothing_more, send)
            return

        async def again() -> Message:
            return messages.pop(0) if messages else await receive()

        try:
            if key is not None:
                self._answering.add(key)
            await self._manager.handle_request(scope, again, send)
        finally:
            if key is not None:
                self._answering.discard(key)

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
                    await _error(404, NOT_FOUND)(scope, _nothing_more, send)
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


async def _whole(receive: Receive) -> list[Message]:
    """A request's body, or as much of it as shows that it is too large."""
    messages, size = [], 0
    while size <= LARGEST:
        message = await receive()
        messages.append(message)
        size += len(message.get("body", b""))
        if not message.get("more_body", False):
            break
    return messages


def _id_of(body: bytes) -> int | str | None:
    """The id of a request; None where the body is none, which is for the SDK to say."""
    try:
        return _decoder.decode(body).id
    except (msgspec.DecodeError, RecursionError):
        return None


def _error(status: int, message: str, name: int | str | None = None) -> Response:
    error = JSONRPCError(jsonrpc="2.0", id=name, error=ErrorData(code=INVALID_REQUEST, message=message))
    body = error.model_dump_json(by_alias=True, exclude_unset=True)
    return Response(body, status_code=status, media_type="application/json")


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
