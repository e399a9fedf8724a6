"""One request of httpx or httpx2 answered in place of its transport, over the bytes of HTTP, without a socket.

What it comes to for the client (statuses, errors, deadlines, streams) is what a network would have brought. Imports
neither library: the request says which it is. Nothing that others have put below httpx is passed.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any, NamedTuple

from squall.clock import Clock
from squall.clock.real import running_loop
from squall.errors import is_weather
from squall.wire.clients.below_httpcore import OURS, stream_of
from squall.wire.http.memory import Memory
from squall.wire.http.server import Connection
from squall.wire.http.steps import Answer, Refuse
from squall.wire.http.sync import SyncConversation

__tracebackhide__ = is_weather
CORES = {"httpx": "httpcore", "httpx2": "httpcore2"}


class Library(NamedTuple):
    """The one that a request is of: itself, what it stands on, and what it makes of that."""

    httpx: ModuleType
    core: ModuleType
    transports: ModuleType


def library_of(request: Any) -> Library:
    """The library of a request."""
    name = type(request).__module__.partition(".")[0]
    return Library(sys.modules[name], import_module(CORES[name]), import_module(f"{name}._transports.default"))


def answered(request: Any, answer: Answer, refuse: Refuse, clock: Clock) -> Any:
    """The response to a request of a sync client. Raises what the client's own transport would."""
    of = library_of(request)
    stream = stream_of(of.core, SyncConversation(answer, refuse, clock))
    asked = _asked(of, request)
    connection = of.core.HTTP11Connection(origin=asked.url.origin, stream=stream)
    with of.transports.map_httpcore_exceptions():
        came = connection.handle_request(asked)
    return _response(of, came, of.transports.ResponseStream(came.stream))


async def aanswered(request: Any, answer: Answer, refuse: Refuse, clock: Clock) -> Any:
    """The same for an async client: in asyncio's running loop, or in a thread, where it is another's."""
    of = library_of(request)
    if running_loop() is None:
        stream = _in_a_thread(of.core, stream_of(of.core, SyncConversation(answer, refuse, clock)))
    else:
        stream = _async_stream(of.core, Memory(Connection(answer, refuse, clock)))
    asked = _asked(of, request)
    connection = of.core.AsyncHTTP11Connection(origin=asked.url.origin, stream=stream)
    with of.transports.map_httpcore_exceptions():
        came = await connection.handle_async_request(asked)
    return _response(of, came, of.transports.AsyncResponseStream(came.stream))


def _asked(of: Library, request: Any) -> Any:
    url = request.url
    return of.core.Request(
        method=request.method,
        url=of.core.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path),
        headers=request.headers.raw,
        content=request.stream,
        extensions=request.extensions,
    )


def _response(of: Library, came: Any, stream: Any) -> Any:
    return of.httpx.Response(status_code=came.status, headers=came.headers, stream=stream, extensions=came.extensions)


def _async_stream(core: ModuleType, memory: Memory) -> Any:
    """The connection as the library's own kind of stream, with its own exceptions."""

    class Stream(core.AsyncNetworkStream):  # type: ignore[misc, name-defined]  # of whichever library asks
        async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - its interface
            try:
                return await memory.receive(max_bytes, timeout)
            except TimeoutError as error:
                raise core.ReadTimeout("timed out") from error
            except ConnectionError as error:
                raise core.ReadError(str(error)) from error

        async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - as above
            try:
                memory.send(buffer)
            except ConnectionError as error:
                raise core.WriteError(str(error)) from error

        async def aclose(self) -> None:
            memory.leave()

        def get_extra_info(self, info: str) -> Any:
            return {"is_readable": memory.readable, OURS: True}.get(info)

    return Stream()


def _in_a_thread(core: ModuleType, stream: Any) -> Any:
    """A stream for sync clients as one for async clients: under trio, whose time is the wall's."""
    from anyio import to_thread  # which such a client has with it, and others do without

    class Stream(core.AsyncNetworkStream):  # type: ignore[misc, name-defined]  # as above
        async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - as above
            came: bytes = await to_thread.run_sync(stream.read, max_bytes, timeout)
            return came

        async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - as above
            stream.write(buffer, timeout)

        async def aclose(self) -> None:
            stream.close()

        def get_extra_info(self, info: str) -> Any:
            return stream.get_extra_info(info)

    return Stream()
