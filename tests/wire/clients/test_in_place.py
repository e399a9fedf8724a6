"""A request answered in place of its transport is to its client what a network would have brought."""

from __future__ import annotations

import asyncio

import httpx
import httpx2
import pytest
import trio

from squall.clock import VirtualClock, WallClock
from squall.wire.clients import in_place
from squall.wire.clients.below_httpcore import OURS
from squall.wire.http.response import head, whole
from squall.wire.http.steps import Fin, Reset, Send, Wait

LIBRARIES = [httpx, httpx2]
TIMEOUT = {"timeout": {"connect": 5, "read": 5, "write": 5, "pool": 5}}


@pytest.fixture
def clock():
    return VirtualClock(limit=1000)


@pytest.fixture
def refusing():
    return lambda malformed: whole(malformed.status)


def asked(library):
    return library.Request("POST", "https://models.example/v1/x?a=b", json={"a": 1}, extensions=TIMEOUT)


def saying(*steps):
    seen = []

    def answer(http):
        seen.append((http.method, http.path, dict(http.query), http.body))
        yield from (step for step in steps)

    return answer, seen


@pytest.fixture(params=LIBRARIES, ids=["httpx", "httpx2"])
def library(request):
    return request.param


@pytest.fixture(params=["sync", "async"])
def bring(request, clock, refusing):
    """`bring(request, answer)` gives the response and its body, read to the end."""

    def run(asked, answer):
        with clock.in_charge():
            if request.param == "sync":
                response = in_place.answered(asked, answer, refusing, clock)
                return response, response.read()

            async def main():
                response = await in_place.aanswered(asked, answer, refusing, clock)
                return response, await response.aread()

            return asyncio.run(main())

    return run


def test_the_whole_request_arrives_and_the_whole_answer_comes_back(library, bring):
    answer, seen = saying(Send(whole(201, {"x-mine": "yes"}, b"fine")))
    response, content = bring(asked(library), answer)
    assert (response.status_code, response.headers["x-mine"], content) == (201, "yes", b"fine")
    assert isinstance(response, library.Response)
    assert seen == [("POST", "/v1/x", {"a": "b"}, asked(library).content)]


@pytest.mark.parametrize(
    ("steps", "error", "after"),
    [
        ((Wait(60),), "ReadTimeout", 5),
        ((Reset(),), "ReadError", 0),
        ((Fin(),), "RemoteProtocolError", 0),
        ((Send(head(200, length=9)), Send(b"abc"), Fin()), "RemoteProtocolError", 0),
        ((Send(head(200, length=9)), Send(b"abc"), Wait(60)), "ReadTimeout", 5),
    ],
)
def test_what_breaks_is_the_librarys_own_error_in_the_runs_time(library, bring, clock, steps, error, after):
    answer, _ = saying(*steps)
    with pytest.raises(getattr(library, error)):
        bring(asked(library), answer)
    assert clock.elapsed() == after


def test_under_trio_it_comes_in_real_time(library, refusing):
    answer, _ = saying(Wait(0.01), Send(whole(200, (), b"fine")))

    async def main():
        response = await in_place.aanswered(asked(library), answer, refusing, WallClock())
        return await response.aread()

    assert trio.run(main) == b"fine"


def test_its_stream_says_whose_it_is(library, bring):
    response, _ = bring(asked(library), saying(Send(whole(200)))[0])
    stream = response.extensions["network_stream"]
    assert stream.get_extra_info(OURS)
    assert stream.get_extra_info("socket") is None
