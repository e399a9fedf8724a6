"""A connection of the server's kind in this event loop, whose client reads and writes here, without a socket.

Time passes on the loop's own clock. Knows no client and nothing of what is answered.
"""

from __future__ import annotations

import asyncio
from typing import Any

from squall.wire.http.server import Connection


class Memory(asyncio.Transport):
    """What the server's connection writes to, and its client reads from. Belongs to the loop that it is made in."""

    def __init__(self, connection: Connection) -> None:
        super().__init__()
        self._connection = connection
        self._loop = asyncio.get_running_loop()
        self._out = bytearray()
        self._waiting: asyncio.Future[None] | None = None
        self._closing = self._broken = False
        connection.connection_made(self)

    # what the client does

    def send(self, data: bytes) -> None:
        """Send something. Where the server has closed, nobody reads it."""
        if self._closing:
            raise BrokenPipeError("this connection is closed")
        self._connection.data_received(data)

    async def receive(self, most: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - as readers of sockets have it
        """The next bytes, `b""` at the end.

        Raises TimeoutError where none come for so many seconds, ConnectionResetError where the server breaks off.
        """
        async with asyncio.timeout(timeout):
            while not self._out and not self._closing:
                self._waiting = self._loop.create_future()
                await self._waiting
        if not self._out and self._broken:
            raise ConnectionResetError("the server has broken the connection")
        data = bytes(self._out[:most])
        del self._out[:most]
        return data

    @property
    def readable(self) -> bool:
        """Whether there is something to read although nothing was asked."""
        return bool(self._out) or self._closing

    def leave(self) -> None:
        """The client has closed the connection."""
        self._out.clear()
        self._end(broken=False)

    # what the server's side does

    def write(self, data: Any) -> None:
        """Something comes."""
        self._out += data
        self._wake()

    def close(self) -> None:
        """The server closes: its client reads to the end."""
        self._end(broken=False)

    def abort(self) -> None:
        """The server breaks off. What was sent before has arrived."""
        self._end(broken=True)

    def is_closing(self) -> bool:
        """Whether nothing more goes through."""
        return self._closing

    def can_write_eof(self) -> bool:
        """Whether one side can close alone: not here."""
        return False

    def get_write_buffer_size(self) -> int:
        """What is written has arrived."""
        return 0

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """There are none."""

    def pause_reading(self) -> None:
        """A request comes at once, whatever its length."""

    def resume_reading(self) -> None:
        """As above."""

    def _end(self, *, broken: bool) -> None:
        if not self._closing:
            self._closing, self._broken = True, broken
            self._loop.call_soon(self._connection.connection_lost, None)
        self._wake()

    def _wake(self) -> None:
        if self._waiting is not None and not self._waiting.done():
            self._waiting.set_result(None)
