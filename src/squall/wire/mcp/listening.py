"""HTTP for an ASGI application in the running event loop, virtual or real.

uvicorn's protocols speak HTTP; its server is not used, because it looks at the time ten times a second and wants the
process's signals. Knows ASGI applications, and not what they answer.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Any

from sse_starlette import sse
from uvicorn.config import Config
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol
from uvicorn.server import ServerState

from squall.wire.sockets import BACKLOG

DAY = 86_400
COMING_UP = 3  # turns of the loop from a connection that is accepted to one that can be dropped
LARGEST_HEAD = 2**16  # bytes of a request's first line and headers
HEAD_TOO_LARGE = b"HTTP/1.1 431 Request Header Fields Too Large\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
LOG = logging.getLogger("squall.http")


class Quiet(logging.Filter):
    """A request that is cancelled with its server is nothing to tell of."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is shown."""
        return not (record.exc_info and isinstance(record.exc_info[1], asyncio.CancelledError))


LOG.addFilter(Quiet())


class Bounded(HttpToolsProtocol):
    """uvicorn's protocol, which would keep a head without end: this one refuses what grows too large without a body."""

    over: asyncio.Event  # set when whoever comes finds nobody
    _kept = 0  # bytes that came in and are neither a whole head nor a body
    _went_on = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn has it
        """A client has come, perhaps too late."""
        super().connection_made(transport)
        if self.over.is_set():
            transport.abort()

    def on_headers_complete(self) -> None:
        """A head is whole."""
        self._went_on = True
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        """Part of a body has come."""
        self._went_on = True
        super().on_body(body)

    def data_received(self, data: bytes) -> None:
        """Read on."""
        self._went_on = False
        super().data_received(data)
        self._kept = 0 if self._went_on else self._kept + len(data)
        if self._kept > LARGEST_HEAD and not self.transport.is_closing():
            self.transport.write(HEAD_TOO_LARGE)
            self.transport.close()


class Http:
    """HTTP for one application in one event loop."""

    def __init__(self, app: Any) -> None:
        self._loop = asyncio.get_running_loop()
        self._state, self._over = ServerState(), asyncio.Event()
        self._config = Config(
            app,
            http=Bounded,
            interface="asgi3",
            lifespan="off",
            log_config=None,
            access_log=False,
            proxy_headers=False,
            server_header=False,
            date_header=False,
            timeout_keep_alive=DAY,
        )
        self._config.load()
        _no_watcher()

    @asynccontextmanager
    async def on(self, sock: socket.socket) -> AsyncIterator[None]:
        """Accept connections of a socket, which is closed in the end, with all of them."""
        try:
            listener = await self._loop.create_server(self.connection, sock=sock, backlog=BACKLOG)
        except BaseException:  # cancelled, it may be
            self._let_nobody_in(sock)
            sock.close()
            raise
        try:
            yield
        finally:
            self._over.set()
            self._let_nobody_in(sock)
            try:
                for _ in range(COMING_UP):  # asyncio forgets, and leaves open, whoever comes up when it has closed
                    await asyncio.sleep(0)
            finally:
                listener.close()
                await self.stop()

    def _let_nobody_in(self, sock: socket.socket) -> None:
        with suppress(NotImplementedError):  # Windows
            self._loop.remove_reader(sock)

    def connection(self) -> asyncio.Protocol:
        """The protocol of one new connection."""
        speaks: Any = self._config.http_protocol_class
        made = speaks(config=self._config, server_state=self._state, app_state={}, _loop=self._loop)
        made.over = self._over
        made.logger = LOG
        made.access_log = False
        protocol: asyncio.Protocol = made
        return protocol

    def drop(self) -> None:
        """Break every connection, whatever is under way on it, also of those who come from now on."""
        self._over.set()
        for connection in list(self._state.connections):
            connection.transport.abort()

    async def stop(self) -> None:
        """Break every connection and end what was being answered."""
        self.drop()
        tasks = list(self._state.tasks)
        for task in tasks:
            task.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.gather(*tasks, return_exceptions=True)


def _no_watcher() -> None:
    """Keep sse_starlette from looking twice a second whether uvicorn's own server is about to exit: there is none.

    In virtual time that would be two jumps for each second that a client waits.
    """
    state = getattr(sse, "_get_shutdown_state", None)  # it offers no other way, and a later version may need none
    if state is not None:
        state().watcher_started = True
