"""Streamable HTTP: the SDK's session manager as an ASGI application at one path, and who may talk to it.

Knows no sockets (`listening.py` has them) and no faults.
"""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Any

from mcp.server.lowlevel import Server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecuritySettings
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

PATH = "/mcp"
LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
EVERYWHERE = ("0.0.0.0", "::", "")  # noqa: S104 - compared with, not bound to
LARGEST = 4 * 2**20  # bytes of one request
NO_NAME = [(b"host", b"localhost")]


class Endpoint:
    """One server at `/mcp`. Serves while `running()` is entered, which can be done once.

    A `host` of this machine alone is what browsers on it may reach by its loopback names; at another address its own
    name counts besides. Where every address is listened on, nobody can say which names lead here, and `Host` is not
    looked at; `Origin` always is.
    """

    def __init__(self, server: Server[Any], host: str) -> None:
        self._any_name = host in EVERYWHERE
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
        await self._manager.handle_request(scope, receive, send)


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
