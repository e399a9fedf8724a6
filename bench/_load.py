"""A client that asks as fast as it is answered: requests over connections that are kept alive, by plain sockets.

It looks at no more than it must to see where an answer ends, so that the server is measured, and not the client.
Knows HTTP/1.1, and not who answers.
"""

from __future__ import annotations

import re
import selectors
import socket
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from time import perf_counter, process_time
from typing import NamedTuple

HOST = "127.0.0.1"
END, LAST_CHUNK = b"\r\n\r\n", b"\r\n0\r\n\r\n"
OK = b"HTTP/1.1 200"
LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
CHUNKED = re.compile(rb"(?i)\r\ntransfer-encoding: *chunked")
BUFFER = 256 * 1024
PATIENCE = 60.0  # seconds without any answer: more than any server needs


class Asked(NamedTuple):
    """What came of it. `firsts` are the seconds to the first byte of each body, `own` the client's CPU seconds."""

    requests: int
    seconds: float
    firsts: list[float]
    own: float

    @property
    def rate(self) -> float:
        """Answers per second."""
        return self.requests / self.seconds


class Connection:
    """One connection, with at most one request under way."""

    def __init__(self, port: int) -> None:
        self.socket = socket.create_connection((HOST, port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.data = b""
        self._began = 0.0
        self._body = -1  # where it begins
        self._length: int | None = None  # of all that comes; None: it comes in chunks

    def ask(self, request: bytes) -> None:
        """Send a request."""
        self.data, self._body, self._length = b"", -1, None
        self._began = perf_counter()
        self.socket.sendall(request)

    def read(self, firsts: list[float]) -> bool:
        """Take what has come; whether the answer is whole."""
        got = self.socket.recv(BUFFER)
        assert got, b"closed after " + self.data
        self.data = data = self.data + got if self.data else got
        if self._body < 0:
            end = data.find(END) + len(END)
            if end < len(END) or len(data) == end:
                return False
            firsts.append(perf_counter() - self._began)
            self._body = end
            assert data.startswith(OK), data
            if CHUNKED.search(data, 0, end) is None:
                length = LENGTH.search(data, 0, end)
                assert length is not None, data
                self._length = end + int(length[1])
        return data.endswith(LAST_CHUNK) if self._length is None else len(data) >= self._length


def ask(port: int, requests: Iterable[bytes], clients: int, *, seconds: float = float("inf")) -> Asked:
    """Send requests until there are no more, or the time is over, and read all that have been sent to the end."""
    left: Iterator[bytes] = iter(requests)
    firsts: list[float] = []
    done = 0
    with ExitStack() as stack:
        selector = stack.enter_context(selectors.DefaultSelector())
        connections = [Connection(port) for _ in range(clients)]
        for connection in connections:
            stack.enter_context(connection.socket)
            selector.register(connection.socket, selectors.EVENT_READ, connection)
        began, own = perf_counter(), process_time()
        busy = 0
        for connection, request in zip(connections, left, strict=False):
            connection.ask(request)
            busy += 1
        while busy:
            ready = selector.select(PATIENCE)
            assert ready, f"nothing came for {PATIENCE} s"
            for key, _ in ready:
                if key.data.read(firsts):
                    done += 1
                    following = next(left, None) if perf_counter() - began < seconds else None
                    if following is None:
                        busy -= 1
                    else:
                        key.data.ask(following)
        return Asked(done, perf_counter() - began, firsts, process_time() - own)
