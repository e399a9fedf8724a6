"""A server of this room in the running loop, and clients that see every byte."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager

import pytest

from squall.clock import VirtualClock
from squall.wire.http.response import LAST_CHUNK, chunk, head, whole
from squall.wire.http.server import HttpServer
from squall.wire.http.steps import Send
from squall.wire.sockets import reserve


def refuse(malformed):
    """As a provider might word it."""
    body = json.dumps({"status": malformed.status, "message": malformed.message, "path": malformed.path}).encode()
    return whole(malformed.status, {"connection": "close"}, body)


def echo(request):
    """Says what was asked."""
    yield Send(whole(200, {}, f"{request.method} {request.path} {len(request.body)}".encode()))


class Streamed:
    """Answers in chunks, with whatever steps stand between them."""

    def __init__(self, *steps):
        self.steps, self.ended = steps, []

    def __call__(self, request):
        try:
            yield Send(head(200, {"content-type": "text/event-stream"}, chunked=True))
            for step in self.steps:
                yield Send(chunk(step)) if isinstance(step, bytes) else step
            yield Send(LAST_CHUNK)
        except BaseException as error:
            self.ended.append(type(error).__name__)
            raise
        self.ended.append("whole")


@pytest.fixture
def streamed():
    return Streamed


@pytest.fixture
def refusing():
    return refuse


@pytest.fixture
def echoing():
    return echo


@pytest.fixture
def serving():
    @asynccontextmanager
    async def on(answer, clock, **options):
        sock = reserve()
        async with HttpServer(answer, refuse, clock, **options).on(sock):
            yield sock.getsockname()[1]

    return on


@pytest.fixture
def in_virtual_time(serving):
    """Runs `client(port, clock)` against an answer, both on one virtual clock; gives what it gives."""

    def run(answer, client, *, limit=3600.0, timeout=30, **options):
        clock = VirtualClock(limit=limit)

        async def main():
            async with serving(answer, clock, **options) as port:
                return await client(port, clock)

        with clock.in_charge():
            return asyncio.run(main())

    return run


@pytest.fixture
def talk():
    """Sends bytes and gives all that comes back until the server closes."""

    async def all_of(port, *pieces, half_close=False):
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        for piece in pieces:
            writer.write(piece)
            await writer.drain()
        if half_close:
            writer.write_eof()
        try:
            return await reader.read()
        finally:
            writer.close()
            await writer.wait_closed()

    return all_of
