"""What a connection keeps of requests that do not end."""

from __future__ import annotations

import asyncio
import gc
import socket
from contextlib import suppress

import pytest
from starlette.responses import Response

from squall.wire.mcp.listening import LARGEST_HEAD, Http
from squall.wire.sockets import reserve

PIECE = 2**14
ENOUGH = LARGEST_HEAD // PIECE + 1
LINE = b"POST /mcp HTTP/1.1\r\n"
CHUNKED = LINE + b"host: localhost\r\ntransfer-encoding: chunked\r\n\r\n"


class Far(asyncio.Transport):
    """The client's side of a connection: what it was sent, and whether it was closed."""

    def __init__(self):
        super().__init__()
        self.heard, self.closed = b"", False

    def write(self, data):
        self.heard += bytes(data)

    def is_closing(self):
        return self.closed

    def close(self):
        self.closed = True

    def abort(self):
        self.closed = True

    def pause_reading(self):
        pass

    def resume_reading(self):
        pass


def said(*pieces):
    """What a client hears, and whether it is left, when it has sent these pieces one after another."""
    bodies = []

    async def app(scope, receive, send):
        body, more = b"", True
        while more:
            message = await receive()
            body, more = body + message.get("body", b""), message.get("more_body", False)
        bodies.append(body)
        await Response("well")(scope, receive, send)

    async def main():
        http, far = Http(app), Far()
        connection = http.connection()
        connection.connection_made(far)
        for piece in pieces:
            connection.data_received(piece)
            await asyncio.sleep(0)
        for _ in range(20):
            await asyncio.sleep(0)
        connection.connection_lost(ConnectionError())
        await http.stop()
        return far

    return asyncio.run(main()), bodies


@pytest.mark.parametrize(
    ("begin", "piece"),
    [
        (b"GET /", b"y" * PIECE),
        (LINE + b"x: ", b"y" * PIECE),
        (LINE, b"x: yyyyy\r\n" * (PIECE // 10 + 1)),
        (CHUNKED + b"1\r\nz\r\n0\r\nx: ", b"y" * PIECE),
        (CHUNKED + b"1; x=", b"y" * PIECE),
    ],
    ids=["address", "one header", "many headers", "trailer", "chunk extension"],
)
def test_what_has_no_end_is_refused(begin, piece):
    far, bodies = said(begin, *[piece] * ENOUGH)
    assert far.heard[:12] in (b"HTTP/1.1 431", b"HTTP/1.1 400"), "the parser has limits of its own for some"
    assert far.closed
    assert bodies == []
    far, _ = said(begin, *[piece] * (ENOUGH - 3))
    assert b"431" not in far.heard


def test_it_is_refused_once(monkeypatch):
    far, _ = said(LINE + b"x: ", *[b"y" * PIECE] * 3 * ENOUGH)
    assert far.heard.count(b"HTTP/1.1") == 1


@pytest.mark.parametrize("size", [1000, PIECE, 2**18])
def test_a_body_may_be_larger_than_that_and_requests_may_follow_each_other(size):
    body = b"x" * 2**18
    whole = (LINE + b"host: localhost\r\ncontent-length: %d\r\n\r\n" % len(body) + body) * 2
    far, bodies = said(*[whole[at : at + size] for at in range(0, len(whole), size)])
    assert far.heard.count(b"HTTP/1.1 200 OK") == 2
    assert bodies == [body, body]
    assert not far.closed


def test_a_client_who_was_let_in_just_before_the_server_exits_finds_nobody():
    async def app(scope, receive, send):
        raise AssertionError("nobody is answered")

    async def main():
        http, early, late = Http(app), Far(), Far()
        there, coming = http.connection(), http.connection()
        there.connection_made(early)
        assert not early.closed
        http.drop()
        coming.connection_made(late)
        for connection in (there, coming):
            connection.connection_lost(ConnectionError())
        return early.closed, late.closed

    assert asyncio.run(main()) == (True, True)


@pytest.mark.parametrize("moments", range(5))
def test_whoever_is_let_in_while_it_ends_is_not_left_waiting(moments):
    async def app(scope, receive, send):
        raise AssertionError("nobody is answered")

    async def main(sock):
        async with Http(app).on(sock):
            client = socket.create_connection(sock.getsockname(), timeout=10)
            for _ in range(moments):
                await asyncio.sleep(0)
            return client

    gc.disable()  # which would close what is forgotten, at some time
    try:
        with reserve() as sock, asyncio.run(main(sock)) as client, suppress(ConnectionError):
            assert client.recv(1) == b""
    finally:
        gc.enable()


def test_a_server_that_is_ended_while_it_begins_leaves_no_socket_open():
    async def main(sock):
        async def serve():
            async with Http(None).on(sock):
                raise AssertionError("it has been ended before")

        task = asyncio.ensure_future(serve())
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    with reserve() as sock:
        assert asyncio.run(main(sock))
        assert sock.fileno() == -1
