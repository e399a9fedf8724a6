"""A loop that goes round and round in no time: it waits, for a timer or for nobody, once that is sure."""

from __future__ import annotations

import asyncio
import socket
import threading

import pytest

import squall
from squall.clock import VirtualClock, loop
from squall.errors import LimitReached

MANY = 1000
"""Turns, of which a fifth would be too many where nothing else happens."""


@pytest.fixture(autouse=True)
def soon(monkeypatch):
    monkeypatch.setattr(loop, "ROUND", 50)
    monkeypatch.setattr(loop, "ROUNDS", 4)


async def goes_round(turns=None, each=lambda: None):
    while turns is None or turns > 0:
        each()
        await asyncio.sleep(0)
        turns = None if turns is None else turns - 1


def test_one_that_nothing_would_end_has_reached_the_limit(run, clock, no_waits):
    with pytest.raises(LimitReached, match=r"goes round and round in no time, as by `await asyncio\.sleep\(0\)`"):
        run(goes_round())
    assert clock.elapsed() >= 3600.0


def test_one_that_ends_by_itself_before_that_is_left_alone(run, clock, no_waits):
    run(goes_round(180))
    assert clock.elapsed() == 0.0


def test_it_takes_a_million_turns(monkeypatch):
    monkeypatch.undo()
    assert loop.ROUND * loop.ROUNDS >= 1_000_000


def test_a_clean_up_that_goes_on_is_ended_too(clock, no_waits):
    async def stubborn():
        try:
            await goes_round()
        finally:
            await goes_round()

    with pytest.raises(LimitReached):
        asyncio.run(stubborn())


def test_a_deadline_around_it_passes(clock, no_waits):
    async def agent():
        async with asyncio.timeout(30):
            await goes_round()

    with pytest.raises(TimeoutError):
        asyncio.run(agent())
    assert clock.elapsed() == 30.0


def test_what_it_looks_for_comes_in_its_time(clock, no_waits):
    async def agent():
        answer = asyncio.create_task(asyncio.sleep(1.5, "answer"))
        clock.call_at(0.5, lambda: seen.append(clock.elapsed()))
        while not answer.done():  # noqa: ASYNC110 - agents do
            await asyncio.sleep(0)
        return answer.result(), clock.elapsed()

    seen: list[float] = []
    assert asyncio.run(agent()) == ("answer", 1.5)
    assert seen == [0.5]


def test_a_timer_that_was_cancelled_is_not_waited_for(clock, no_waits):
    async def agent():
        asyncio.get_running_loop().call_later(5, print).cancel()
        await goes_round()

    with pytest.raises(LimitReached):
        asyncio.run(agent())


@pytest.mark.parametrize("begin", [lambda fn: threading.Thread(target=fn).start(), "job"])
def test_a_thread_that_works_meanwhile_is_waited_for(clock, begin):
    door, done = threading.Lock(), []

    def work():
        with door:
            done.append(clock.elapsed())

    async def agent():
        turns = 0
        door.acquire()  # whoever wants it is at work
        job = asyncio.get_running_loop().run_in_executor(None, work) if begin == "job" else begin(work)
        while not done:
            await asyncio.sleep(0)
            turns += 1
            if turns == MANY:
                door.release()
        if job is not None:
            await job
        return turns

    assert asyncio.run(agent()) >= MANY
    assert done == [0.0]


def test_threads_that_come_and_go_count_whenever_one_looks(clock):
    def each():
        thread = threading.Thread(target=int)
        thread.start()
        thread.join()

    asyncio.run(goes_round(MANY, each))


def test_who_hears_somebody_outside_waits_for_him(clock):
    async def agent():
        transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
            asyncio.DatagramProtocol, local_addr=("127.0.0.1", 0)
        )
        await goes_round(MANY)
        transport.close()

    asyncio.run(agent())


def test_what_is_said_within_the_loop_is_something_that_happens(clock, no_waits):
    async def agent():
        here, there = socket.socketpair()
        with here, there:
            here.setblocking(False)
            there.setblocking(False)
            running = asyncio.get_running_loop()
            heard: list[bytes] = []
            running.add_reader(there, lambda: heard.append(there.recv(1)))
            await goes_round(MANY, lambda: here.send(b"x"))
            running.remove_reader(there)

    asyncio.run(agent())


def test_time_that_is_moved_by_hand_is_something_that_happens(clock, no_waits):
    asyncio.run(goes_round(MANY, lambda: clock.advance(1)))
    assert clock.elapsed() == MANY


def test_without_a_limit_nothing_is_ended(no_waits):
    with VirtualClock(limit=None).in_charge():
        asyncio.run(goes_round(MANY))


def test_in_a_run_it_is_a_hang(tmp_path):
    async def agent(run):
        try:
            await run.tools.aio.get_note(id="1")
        except TimeoutError:
            await goes_round()

    world = tmp_path / "desk.yaml"
    world.write_text(
        "name: desk\nservices:\n  desk:\n    records:\n      note: { id: str, text: str }\n"
        "    operations:\n      get_note: { kind: get, record: note }\n"
        "    seed:\n      note: [{ id: '1', text: hello }]\n"
    )
    (found,) = squall.find_failures(agent, world, kinds=["timeout", "http_503"], crashes=False).found
    assert (found.finding.failure, [choice.kind for choice in found.schedule]) == ("hung", ["timeout"])
