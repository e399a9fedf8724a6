"""Bytes of a client, to its requests one after another. Knows no connection, and not what a request means.

Parses no further than it is asked, so that what a client sends ahead is held as bytes. The same bytes give the same
requests, however they are cut.
"""

from __future__ import annotations

from contextlib import suppress
from enum import Enum

from squall.wire.http.chunked import Chunked, too_large
from squall.wire.http.head import CHUNKED, Head, Wrong, known, split
from squall.wire.http.steps import HttpRequest, Malformed

MAX_BODY = 64 * 1024 * 1024
MAX_HEAD = 64 * 1024
MAX_KNOWN = 4096  # bytes of a head that is worth remembering
END = b"\r\n\r\n"
BLANK = Head()


class Expect(Enum):
    """The client waits to hear that its body is wanted."""

    CONTINUE = "100-continue"


Event = HttpRequest | Malformed | Expect


class Parser:
    """The requests of one connection. After a `Malformed`, and after a request that is the last, there is no other."""

    def __init__(self, max_body: int = MAX_BODY) -> None:
        self._max_body = max_body
        self._data = bytearray()
        self._head = BLANK
        self._taken = 0  # bytes of the head that went into it
        self._chunked: Chunked | None = None
        self._in_body = self._over = False

    def feed(self, data: bytes) -> None:
        """Take what has arrived."""
        if not self._over:
            self._data += data

    def next(self) -> Event | None:
        """What comes next, or None if more bytes are needed."""
        if self._over:
            return None
        try:
            return self._next()
        except Wrong as wrong:
            self.stop()
            return Malformed(wrong.status, wrong.message, split(self._head.target)[0])

    def stop(self) -> None:
        """No other request is wanted, and nothing is held any more."""
        self._over = True
        self._chunked = None
        self._data = bytearray()

    @property
    def over(self) -> bool:
        """Whether no other request will come."""
        return self._over

    @property
    def held(self) -> int:
        """How many bytes wait to be parsed."""
        return len(self._data)

    def _next(self) -> Event | None:
        if not self._in_body:
            if not self._take_head():
                return None
            self._in_body = True
            if self._head.length and self._head.headers.get("expect", "").lower() == Expect.CONTINUE.value:
                return Expect.CONTINUE
        body = self._take_body()
        if body is None:
            return None
        head, self._head = self._head, BLANK
        self._in_body, self._taken = False, 0
        if head.closing:
            self.stop()
        return HttpRequest(head.method, head.path, head.query.copy(), head.headers.copy(), body)

    def _take_head(self) -> bool:
        data = self._data
        if not self._taken:
            while data.startswith(b"\r\n"):  # RFC 9112, section 2.2: some clients end a body with it
                del data[:2]
            if not data or data == b"\r":
                return False
        end = data.find(END, max(0, self._taken - len(END)), MAX_HEAD)
        until = min(len(data), MAX_HEAD) if end < 0 else end + len(END)
        if not (0 <= end < MAX_KNOWN and not self._taken and self._is_known(bytes(data[:until]))):
            if not self._taken:
                self._head = Head()
            self._head.take(bytes(data[self._taken : until]))
            self._taken = until
            if end < 0:
                if until == MAX_HEAD:
                    raise Wrong(431, f"the head of the request is longer than {MAX_HEAD} bytes")
                return False
            self._head.finish()
        if data.find(b" HTTP/1.", 0, data.find(b"\r\n")) < 0:  # llhttp would take RTSP for it
            raise Wrong(400, "the request is not one of HTTP/1.1")
        del data[:until]
        if self._head.length == CHUNKED:
            self._chunked = Chunked(self._max_body)
        elif self._head.length > self._max_body:
            raise too_large(self._max_body)
        return True

    def _is_known(self, data: bytes) -> bool:
        """Whether this is a whole head in which nothing is wrong; it is the one that is read, then."""
        with suppress(Wrong):
            self._head = known(data)
            return True
        return False

    def _take_body(self) -> bytes | None:
        if self._chunked is not None:
            body = self._chunked.take(self._data)
            if body is not None:
                self._chunked = None
            return body
        length = self._head.length
        if len(self._data) < length:
            return None
        body = bytes(self._data) if len(self._data) == length else bytes(self._data[:length])
        del self._data[:length]
        return body
