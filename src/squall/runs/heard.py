"""An answer that goes on untouched, and is listened to on its way: for a trace that nobody else writes it into.

The response stays the client library's own; only its stream is another's, which passes on what comes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from squall.wire.clients.in_place import library_of

Heard = Callable[[Any], None]
"""Is told of the response with its body, when all of it has come or nobody reads on."""


def listen(response: Any, request: Any, heard: Heard) -> None:
    """Have `heard` told of what comes of a response of httpx or httpx2."""
    if response.is_closed:  # it came with its body
        heard(response)
        return
    library = library_of(request).httpx
    asynchronous = hasattr(response.stream, "__aiter__")
    response.stream = (_async if asynchronous else _sync)(library, response, _Once(library, response, heard))


class _Once:
    """What has come, told of once."""

    def __init__(self, library: Any, response: Any, heard: Heard) -> None:
        self._library, self._response, self._heard = library, response, heard
        self._chunks: list[bytes] = []
        self._over = False

    def add(self, chunk: bytes) -> bytes:
        """A piece has come."""
        self._chunks.append(chunk)
        return chunk

    def end(self) -> None:
        """No more comes."""
        if not self._over:
            self._over = True
            of, content = self._response, b"".join(self._chunks)
            self._heard(self._library.Response(of.status_code, headers=of.headers, content=content))


def _sync(library: Any, response: Any, once: _Once) -> Any:
    inner = response.stream

    class Stream(library.SyncByteStream):  # type: ignore[misc]  # of whichever library asks
        def __iter__(self) -> Iterator[bytes]:
            for chunk in inner:
                yield once.add(chunk)
            once.end()

        def close(self) -> None:
            inner.close()
            once.end()

    return Stream()


def _async(library: Any, response: Any, once: _Once) -> Any:
    inner = response.stream

    class Stream(library.AsyncByteStream):  # type: ignore[misc]  # as above
        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for chunk in inner:
                yield once.add(chunk)
            once.end()

        async def aclose(self) -> None:
            await inner.aclose()
            once.end()

    return Stream()
