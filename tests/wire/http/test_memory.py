"""A connection without a socket in a loop: what a client reads of it, in the loop's own time."""

from __future__ import annotations

import asyncio

import pytest

from squall.clock import VirtualClock
from squall.wire.http.memory import Memory
from squall.wire.http.response import whole
from squall.wire.http.server import Connection
from squall.wire.http.steps import Disconnected, Fin, Reset, Send, Wait

GET = b"GET /a HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.fixture
def clock():
    return VirtualClock(limit=1000)


@pytest.fixture
def speaking(clock, refusing):
    """`speaking(steps, client)` runs `client(memory)` against an answer of these steps."""

    def run(steps, client):
        def answer(_request):
            yield from steps

        async def main():
            return await client(Memory(Connection(answer, refusing, clock)))

        with clock.in_charge():
            return asyncio.run(main())

    return run


async def to_the_end(memory):
    memory.send(GET)
    pieces = []
    while piece := await memory.receive(4):
        pieces.append(piece)
    return pieces


def test_bytes_come_as_far_as_there_is_room_and_then_the_end(speaking):
    assert speaking([Send(b"abc"), Send(b"def"), Fin()], to_the_end) == [b"abcd", b"ef"]


def test_requests_are_answered_one_after_another(speaking):
    async def client(memory):
        memory.send(GET[:9])
        memory.send(GET[9:])
        first = await memory.receive(100)
        memory.send(GET)
        return first, await memory.receive(100)

    answer = whole(200, (), b"a")
    assert speaking([Send(answer)], client) == (answer, answer)


def test_a_wait_takes_the_loops_time_and_a_deadline_may_pass_before_it_is_over(speaking, clock):
    async def client(memory):
        memory.send(GET)
        with pytest.raises(TimeoutError):
            await memory.receive(9, 10)
        assert clock.elapsed() == 10
        return await memory.receive(9, 30)

    assert speaking([Wait(25), Send(b"late"), Fin()], client) == b"late"
    assert clock.elapsed() == 25


def test_what_was_sent_before_it_breaks_has_come(speaking):
    async def client(memory):
        memory.send(GET)
        came = await memory.receive(9)
        with pytest.raises(ConnectionResetError):
            await memory.receive(9)
        with pytest.raises(BrokenPipeError):
            memory.send(GET)
        return came, memory.readable

    assert speaking([Send(b"so far"), Reset()], client) == (b"so far", True)


def test_an_answer_is_told_when_its_client_leaves(clock, refusing):
    told = []

    def answer(_request):
        try:
            yield Wait(100)
        except Disconnected:
            told.append(clock.elapsed())
            raise

    async def main():
        memory = Memory(Connection(answer, refusing, clock))
        memory.send(GET)
        await asyncio.sleep(3)
        assert not memory.readable
        memory.leave()
        await asyncio.sleep(1)
        return await memory.receive(9)

    with clock.in_charge():
        assert asyncio.run(main()) == b""
    assert told == [3]
