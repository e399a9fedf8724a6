"""Streamable HTTP: the SDK's session manager as an ASGI application at one path, and who may talk to it.

Knows no sockets (`listening.py` has them) and no faults.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from mcp_types import INVALID_REQUEST, JSONRPCError
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Message, Receive, Scope, Send

from squall.wire.mcp.envelopes import NoMessage, error_of, id_of
from squall.wire.mcp.server import McpServer
from squall.wire.mcp.sessions import FATE, NOT_FOUND, Fate

PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - compared with, not bound to
LARGEST = 4 * 2**20  # bytes of one request
NO_NAME = [(b"host", b"localhost")]
SESSION = b"mcp-session-id"
VERSION = b"mcp-protocol-version"
WITH_SESSIONS = {version.encode() for version in HANDSHAKE_PROTOCOL_VERSIONS}


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
        security = allowed(host)
        self._security = TransportSecurityMiddleware(security)
        self._manager = StreamableHTTPSessionManager(
            server,
            security_settings=security,
            session_idle_timeout=idle,
            max_request_body_size=LARGEST,
        )

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """The sessions live as long as this context.

        They are ended before the SDK ends its tasks, which would wait a second for each call that is under way.
        """
        async with self._manager.run():
            try:
                yield
            finally:
                for session in list(self._manager._server_instances.values()):  # noqa: SLF001 - it offers no other way
                    await session.terminate()

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
        session = _header(scope, SESSION)
        sessions = session is not None or _header(scope, VERSION) in (None, *WITH_SESSIONS)
        if scope["method"] != "POST" or not sessions:  # where there are none, the SDK answers whatever is posted
            await self._manager.handle_request(scope, receive, send)
        else:
            await self._posted(session, scope, receive, send)

    async def _posted(self, session: bytes | None, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer what is posted, unless it is no message or a request with its id is being answered already.

        The SDK would not answer the one, and mix up the others.
        """
        messages, whole = await _read(receive)
        name = None
        if whole is not None:
            try:
                name = id_of(whole)
            except NoMessage as none:
                await self._refuse(none.answer, scope, send)
                return
        key = None if name is None or session is None else (session, str(name))
        if key in self._answering:
            await self._refuse(error_of(INVALID_REQUEST, "the id of the request is in use", name), scope, send)
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

    async def _refuse(self, error: JSONRPCError, scope: Scope, send: Send) -> None:
        """Answer with an error whoever may talk to this server, and anybody else with that."""
        barred = await self._security.validate_request(Request(scope), is_post=True)
        await (barred or _response(400, error))(scope, _nothing_more, send)

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
                    await _response(404, error_of(INVALID_REQUEST, NOT_FOUND))(scope, _nothing_more, send)
            elif message["type"] == "http.response.start":
                held.append(message)
            else:
                while held:
                    await send(held.pop())
                await send(message)

        return watched

    async def _forget(self, scope: Scope) -> None:
        """End the session of a request, as if its client had done so."""
        if _header(scope, SESSION) is not None:
            asked = {**scope, "method": "DELETE"}
            del asked[FATE]
            await self._manager.handle_request(asked, _nothing_more, _nowhere)


def _header(scope: Scope, name: bytes) -> bytes | None:
    return next((value for each, value in scope["headers"] if each == name), None)


async def _read(receive: Receive) -> tuple[list[Message], bytes | None]:
    """What comes of a request, and its body; None where that is too large or broken off, as the SDK will say."""
    messages: list[Message] = []
    size = 0
    while size <= LARGEST:
        message = await receive()
        messages.append(message)
        size += len(message.get("body", b""))
        if not message.get("more_body", False):
            break
    complete = size <= LARGEST and messages[-1]["type"] == "http.request"
    return messages, b"".join(message.get("body", b"") for message in messages) if complete else None


def _response(status: int, error: JSONRPCError) -> Response:
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
