"""The head of one request: its line and its headers, read with llhttp as they come. Knows no body and no connection."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import parse_qsl, unquote, urlsplit

import httptools

MAX_HEADERS = 200
CHUNKED = -1
ONCE = ("host", "transfer-encoding")  # llhttp itself refuses a second Content-Length


class Wrong(Exception):
    """What came is no request. `status` is what to answer it with."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


class Head:
    """Takes a head in pieces, the last of which ends where it ends. `take` raises `Wrong`."""

    __slots__ = ("_begun", "_count", "_parser", "_wrong", "closing", "headers", "target")

    def __init__(self) -> None:
        self.target = b""
        self.headers: dict[str, str] = {}
        self.closing = False
        self._count = 0
        self._begun = False
        self._wrong: Wrong | None = None
        self._parser = httptools.HttpRequestParser(self)

    def take(self, data: bytes) -> None:
        """Read on."""
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            return  # it may ask; it is answered as if it had not
        except httptools.HttpParserError as error:
            raise self._wrong or Wrong(400, str(error) or "it is not HTTP/1.1") from None

    def finish(self) -> tuple[str, int]:
        """The method, and the length of the body (`CHUNKED`: it comes in chunks), once the head is whole."""
        version = self._parser.get_http_version()
        if version not in {"1.1", "1.0"}:
            raise Wrong(400, f"HTTP/{version} is not spoken here, HTTP/1.1 is")
        if version == "1.1" and "host" not in self.headers:
            raise Wrong(400, "the Host header is missing")
        if version == "1.0":
            self.closing = True  # such a client reads to the end
        method: bytes = self._parser.get_method()
        del self._parser  # the two hold each other
        coding = self.headers.get("transfer-encoding")
        if coding is None:
            length = self.headers.get("content-length", "0")
            if not (length.isascii() and length.isdigit()):
                raise Wrong(400, "Content-Length is no number")
            return method.decode("ascii"), int(length)
        if coding.lower() != "chunked":
            raise Wrong(400, f"the transfer coding {coding[:80]!r} is not known, chunked is")
        return method.decode("ascii"), CHUNKED

    @property
    def path(self) -> str:
        """The path as far as it is known."""
        return split(self.target)[0]

    # what llhttp tells

    def on_message_begin(self) -> None:
        """A request begins; a second one in the same head means that the first was HTTP/0.9."""
        if self._begun:
            self._refuse(400, "HTTP/0.9 is not spoken here, HTTP/1.1 is")
        self._begun = True

    def on_url(self, data: bytes) -> None:
        """A piece of the target."""
        self.target += data

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header."""
        self._count += 1
        if self._count > MAX_HEADERS:
            self._refuse(431, f"there are more than {MAX_HEADERS} headers")
        key, text = _lower(name), value.strip(b" \t").decode("latin-1")
        if key in ONCE and key in self.headers:
            self._refuse(400, f"the header {key} is there twice")
        if key == "connection" and "close" in [word.strip() for word in text.lower().split(",")]:
            self.closing = True
        self.headers[key] = text

    def _refuse(self, status: int, message: str) -> None:
        """Stop llhttp here: it tells of any exception as of one of its own."""
        self._wrong = Wrong(status, message)
        raise self._wrong


@lru_cache(maxsize=256)
def _lower(name: bytes) -> str:
    """A header's name; a client sends the same ones over and over."""
    return name.lower().decode("latin-1")


def split(target: bytes) -> tuple[str, dict[str, str]]:
    """The path and the query of a request's target, decoded. Of equal keys the last counts."""
    text = target.decode("latin-1")
    if not text.startswith("/") and "://" in text:  # as to a proxy
        text = _within(text)
    path, _, query = text.partition("#")[0].partition("?")
    if "%" in path:
        path = unquote(path)
    return path, dict(parse_qsl(query, keep_blank_values=True)) if query else {}


def _within(url: str) -> str:
    """What follows the host in a whole URL."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url
    return (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
