"""The head of one request: its line and its headers, read with llhttp as they come. Knows no body and no connection."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import parse_qsl, unquote, urlsplit

import httptools

MAX_HEADERS = 200
CHUNKED = -1
ONCE = (b"host", b"transfer-encoding")  # llhttp itself refuses a second Content-Length


class Wrong(Exception):
    """What came is no request. `status` is what to answer it with."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status, self.message = status, message


class Head:
    """Takes a head in pieces, the last of which ends where it ends. `take` and `finish` raise `Wrong`."""

    __slots__ = (
        "_names",
        "_parser",
        "_values",
        "_wrong",
        "closing",
        "headers",
        "length",
        "method",
        "path",
        "query",
        "target",
    )

    def __init__(self) -> None:
        self.method, self.target, self.path = "", b"", ""
        self.query: dict[str, str] = {}
        self.headers: dict[str, str] = {}
        self.length = 0
        self.closing = False
        self._names: list[bytes] = []
        self._values: list[bytes] = []
        self._wrong: Wrong | None = None
        self._parser: httptools.HttpRequestParser | None = None

    def take(self, data: bytes) -> None:
        """Read on."""
        if self._parser is None:
            self._parser = httptools.HttpRequestParser(self)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            return  # it may ask; it is answered as if it had not
        except httptools.HttpParserError as error:
            if isinstance(error, httptools.HttpParserInvalidURLError):
                self.target = b""  # how much of it was told depends on how the bytes were cut
            raise self._wrong or Wrong(400, str(error) or "it is not HTTP/1.1") from None

    def finish(self) -> None:
        """The head is whole: fill in what it says. `length` is that of the body, `CHUNKED` if it comes in chunks."""
        parser, self._parser = self._parser, None  # the two hold each other
        version = "?" if parser is None else parser.get_http_version()
        if parser is None or version not in {"1.1", "1.0"}:
            raise Wrong(400, f"HTTP/{version} is not spoken here, HTTP/1.1 is")
        headers = self.headers = dict(map(_header, self._names, self._values))
        if len(self._names) > MAX_HEADERS:
            raise Wrong(431, f"there are more than {MAX_HEADERS} headers")
        if len(headers) < len(self._names):
            self._check_repeated()
        if version == "1.0":
            self.closing = True  # such a client reads to the end
        elif "host" not in headers:
            raise Wrong(400, "the Host header is missing")
        if "connection" in headers and not self.closing:
            self.closing = "close" in _words(headers["connection"])
        self.method = parser.get_method().decode("ascii")
        self.length = _length(headers)
        self.path, self.query = split(self.target)

    def _check_repeated(self) -> None:
        """Of equal headers the last counts, with a few exceptions."""
        names = [name.lower() for name in self._names]
        for name in ONCE:
            if names.count(name) > 1:
                raise Wrong(400, f"the header {name.decode()} is there twice")
        pairs = zip(names, self._values, strict=True)
        self.closing = any(
            name == b"connection" and "close" in _words(value.decode("latin-1")) for name, value in pairs
        )

    # what llhttp tells

    def on_url(self, data: bytes) -> None:
        """A piece of the target."""
        self.target += data

    def on_header(self, name: bytes, value: bytes) -> None:
        """One header."""
        self._names.append(name)
        self._values.append(value)

    def on_message_complete(self) -> None:
        """A request has no more to it, as far as llhttp knows. It would take what follows HTTP/0.9 for another."""
        if self._parser is not None and self._parser.get_http_version() == "0.9":
            self._wrong = Wrong(400, "HTTP/0.9 is not spoken here, HTTP/1.1 is")
            raise self._wrong


@lru_cache(maxsize=256)
def known(data: bytes) -> Head:
    """A whole head; a client sends the same one over and over. Nobody may change it."""
    head = Head()
    head.take(data)
    head.finish()
    return head


@lru_cache(maxsize=1024)
def _header(name: bytes, value: bytes) -> tuple[str, str]:
    """A header as text; a client sends the same ones over and over."""
    return name.lower().decode("latin-1"), value.strip(b" \t").decode("latin-1")


def _words(value: str) -> list[str]:
    return [word.strip() for word in value.lower().split(",")]


def _length(headers: dict[str, str]) -> int:
    coding = headers.get("transfer-encoding")
    if coding is not None:
        if coding.lower() != "chunked":
            raise Wrong(400, f"the transfer coding {coding[:80]!r} is not known, chunked is")
        return CHUNKED
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        raise Wrong(400, "Content-Length is no number")
    return int(length)


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
