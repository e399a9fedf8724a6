"""Responses as bytes: a head, a whole one, one in chunks. Knows no request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from squall.faults.status import phrase_of

LAST_CHUNK = b"0\r\n\r\n"
OVERLOADED = 529  # of Anthropic's own; http has no phrase for it
Headers = Mapping[str, str] | Iterable[tuple[str, str]]


@lru_cache(maxsize=64)
def status_line(status: int) -> bytes:
    """The first line of a response, with its line break."""
    phrase = phrase_of(status) or ("Overloaded" if status == OVERLOADED else "Unknown")
    return f"HTTP/1.1 {status} {phrase}\r\n".encode("ascii")


def head(status: int, headers: Headers = (), *, length: int | None = None, chunked: bool = False) -> bytes:
    """The head of a response. Without a length and not chunked, its body ends with the connection."""
    pairs = headers.items() if isinstance(headers, Mapping) else headers
    text = "".join([f"{name}: {value}\r\n" for name, value in pairs])
    if chunked:
        text += "transfer-encoding: chunked\r\n"
    elif length is not None:
        text += f"content-length: {length}\r\n"
    return status_line(status) + text.encode("latin-1") + b"\r\n"


def whole(status: int, headers: Headers = (), body: bytes = b"") -> bytes:
    """A response with its body."""
    return head(status, headers, length=len(body)) + body


def chunk(data: bytes) -> bytes:
    """One chunk of a body. An empty one would end it, so it is none."""
    return b"%x\r\n%b\r\n" % (len(data), data) if data else b""
