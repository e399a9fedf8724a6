"""An answer that is listened to comes as it would have, and what came of it is told once."""

from __future__ import annotations

import asyncio

import httpx2 as httpx
import pytest

from squall.runs.heard import listen

PIECES = [b"data: 1\n\n", b"data: 2\n\n"]


class Pieces(httpx.SyncByteStream, httpx.AsyncByteStream):
    closed = 0

    def __iter__(self):
        yield from PIECES

    async def __aiter__(self):
        for piece in PIECES:
            yield piece

    def close(self):
        self.closed += 1

    async def aclose(self):
        self.closed += 1


class Sync(httpx.SyncByteStream):
    """One that is sync alone, as a sync client binds it."""

    def __init__(self):
        self.inner = Pieces()

    def __iter__(self):
        return iter(self.inner)

    def close(self):
        self.inner.close()


@pytest.fixture
def heard():
    return []


@pytest.fixture
def request_():
    return httpx.Request("POST", "http://models.example/v1/messages")


def told(heard):
    return [(each.status_code, each.headers["x-mine"], each.content) for each in heard]


def test_a_sync_answer_is_told_when_all_of_it_has_come(heard, request_):
    response = httpx.Response(200, headers={"x-mine": "yes"}, stream=Sync())
    listen(response, request_, heard.append)
    assert heard == []
    assert list(response.iter_raw()) == PIECES
    assert told(heard) == [(200, "yes", b"".join(PIECES))]


def test_one_that_nobody_reads_on_is_told_as_far_as_it_came(heard, request_):
    inner = Sync()
    response = httpx.Response(200, headers={"x-mine": "yes"}, stream=inner)
    listen(response, request_, heard.append)
    assert next(response.iter_raw()) == PIECES[0]
    response.close()
    response.close()
    assert told(heard) == [(200, "yes", PIECES[0])]
    assert inner.inner.closed


def test_an_async_answer_likewise(heard, request_):
    async def read():
        response = httpx.Response(200, headers={"x-mine": "yes"}, stream=Pieces())
        listen(response, request_, heard.append)
        return [piece async for piece in response.aiter_raw()]

    assert asyncio.run(read()) == PIECES
    assert told(heard) == [(200, "yes", b"".join(PIECES))]


def test_one_that_came_with_its_body_is_told_at_once(heard, request_):
    listen(httpx.Response(200, headers={"x-mine": "yes"}, content=b"all"), request_, heard.append)
    assert told(heard) == [(200, "yes", b"all")]
