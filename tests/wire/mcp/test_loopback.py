"""The server of a run at an address: in the loop of whoever asks, in virtual time, else in a thread."""

from __future__ import annotations

import asyncio
import copy
import gc
import json
import pickle
import socket
import ssl
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from types import FunctionType

import anyio
import httpx2
import mcp
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.shared.jsonrpc_dispatcher import JSONRPCDispatcher

from squall.clock import real
from squall.errors import LimitReached
from squall.wire import loopback

BOTH_MODES = pytest.mark.parametrize("mode", ["auto", "legacy"])
ACCEPT = {"accept": "application/json, text/event-stream"}
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}},
}


def port_of(url):
    return int(url.rpartition(":")[2].partition("/")[0])


def talk(run, agent, **options):
    async def main():
        async with mcp.Client(run.mcp_url, **options) as client:
            return await agent(client)

    return asyncio.run(main())


async def count(client):
    return (await client.call_tool("count", {})).structured_content["result"]


@BOTH_MODES
def test_the_client_waits_in_virtual_time(begin, mode):
    async def agent(client):
        with pytest.raises(MCPError, match="timed out"):
            await client.call_tool("move", {"note_id": "1"})

    with begin({"target": "desk.move", "kind": "timeout", "nth": 1}) as run:
        talk(run, agent, mode=mode, read_timeout_seconds=45)
        assert run.clock.elapsed() == 45
        assert run.world.revision > 0, "the effect happened"
        assert run.clock.notes == []


@BOTH_MODES
def test_a_client_without_a_deadline_is_ended_by_the_runs_limit(begin, mode):
    async def agent(client):
        await client.call_tool("move", {"note_id": "1"})

    with begin({"target": "desk.move", "kind": "hang", "nth": 1}) as run:
        with pytest.raises(LimitReached):
            talk(run, agent, mode=mode)
        assert run.finish().status == "hung"


@BOTH_MODES
def test_an_agent_that_swallows_everything_is_ended_by_the_limit_of_calls(begin, mode):
    async def agent(client):
        while True:
            try:
                await count(client)
            except Exception:  # noqa: S112 - as careless as agents are
                continue

    with begin(limits={"calls": 20}) as run:
        with pytest.raises(LimitReached):
            talk(run, agent, mode=mode)
        assert run.finish().status == "hung"


@BOTH_MODES
def test_every_loop_of_a_run_is_served(begin, mode):
    with begin() as run:
        for _ in range(3):
            assert talk(run, count, mode=mode) == 1
        assert run.clock.notes == []
    assert run.trace.count("count") == 3


def test_it_is_served_where_the_address_is_first_asked_for_in_a_running_loop(begin):
    async def main(run):
        async with mcp.Client(run.mcp_url) as client:
            return await count(client)

    with begin() as run:
        assert asyncio.run(main(run)) == 1
        assert run.clock.notes == []


def test_the_state_is_the_worlds_own(begin):
    with begin() as run:
        run.world.notes.insert(text="by the test")
        assert talk(run, count) == 2
        assert run.mcp_url.snapshot() == run.world.snapshot()
        assert run.mcp_url.startswith("http://127.0.0.1:")
        assert type(str(run.mcp_url)) is str


def test_an_address_can_be_copied_and_sent_to_other_processes(begin):
    with begin() as run:
        assert copy.copy(run.mcp_url).snapshot() == run.world.snapshot()
        assert copy.deepcopy({"url": run.mcp_url})["url"].snapshot() == run.world.snapshot()
        sent = pickle.loads(pickle.dumps(run.mcp_url))  # noqa: S301 - our own
        assert (sent, type(sent)) == (str(run.mcp_url), str)


def test_a_client_without_a_loop_is_answered_in_a_thread_and_the_run_says_so(begin):
    with begin() as run, httpx2.Client(headers=ACCEPT, timeout=30) as client:
        assert client.post(run.mcp_url, json=HELLO).status_code == 200
        assert run.clock.notes == [loopback.in_a_thread("mcp_url")]
        assert talk(run, count) == 1, "and a loop is still served"


def test_a_client_whose_loop_is_not_asyncios_is_answered_in_a_thread(begin):
    async def agent(url):
        async with httpx2.AsyncClient(headers=ACCEPT, timeout=30) as client:
            return (await client.post(url, json=HELLO)).status_code

    with begin() as run:
        assert anyio.run(agent, run.mcp_url, backend="trio") == 200
        assert run.clock.notes == [loopback.in_a_thread("mcp_url")]


def test_a_loop_in_another_thread_is_not_the_runs_and_is_answered_in_a_thread(begin):
    with begin() as run, ThreadPoolExecutor() as pool:
        assert pool.submit(lambda: asyncio.run(talk_to(run))).result(30) == 1
        assert loopback.in_a_thread("mcp_url") in run.clock.notes


def test_sync_code_in_a_coroutine_is_answered_too(begin):
    async def main(run):
        with httpx2.Client(headers=ACCEPT, timeout=30) as client:
            return client.post(run.mcp_url, json=HELLO).status_code

    with begin() as run:
        assert asyncio.run(main(run)) == 200
        assert run.clock.notes == [loopback.in_a_thread("mcp_url")]


def compute(seconds):
    until = real.worked(threading.get_ident()) + seconds
    while real.worked(threading.get_ident()) < until:
        pass


def test_a_loop_that_computes_in_code_of_connections_does_not_wait_for_an_answer(begin, monkeypatch):
    monkeypatch.setattr(loopback, "LOOK", 0.001)
    monkeypatch.setattr(loopback, "LAST", 10**6)
    reads_certificates = FunctionType(compute.__code__, globals() | {"__name__": "ssl"})

    async def busy():
        for _ in range(4):
            await asyncio.sleep(0)
            reads_certificates(0.3)

    async def main(run):
        async with httpx2.AsyncClient(headers=ACCEPT, timeout=30) as client:
            return (await asyncio.gather(client.post(run.mcp_url, json=HELLO), busy()))[0].status_code

    with begin() as run:
        assert asyncio.run(main(run)) == 200
        assert run.clock.notes == []


def test_a_loop_that_computes_for_long_answers_its_connections_when_it_comes_to_them(begin, monkeypatch):
    monkeypatch.setattr(loopback, "LOOK", 0.001)
    monkeypatch.setattr(loopback, "LAST", 10**6)  # on a busy machine it takes longer by the clock

    async def busy():
        for _ in range(12):
            await asyncio.sleep(0)
            compute(0.1)

    async def main(run):
        async with httpx2.AsyncClient(headers=ACCEPT, timeout=30) as client:
            return (await asyncio.gather(client.post(run.mcp_url, json=HELLO), busy()))[0].status_code

    with begin() as run:
        assert asyncio.run(main(run)) == 200
        assert run.clock.notes == []


def test_sync_code_in_a_worker_thread_is_answered_by_the_loop(begin):
    def ask(url):
        with httpx2.Client(headers=ACCEPT, timeout=30) as client:
            return client.post(url, json=HELLO).status_code

    with begin() as run:
        url = str(run.mcp_url)
        assert asyncio.run(in_a_thread(ask, url)) == 200
        assert loopback.in_a_thread("mcp_url") not in run.clock.notes


async def in_a_thread(ask, url):
    return await asyncio.to_thread(ask, url)


def test_on_wall_time_a_thread_answers_and_nothing_is_said_of_it(begin):
    with begin(clock="wall") as run:
        assert talk(run, count) == 1
        assert run.clock.notes == []


def test_nothing_is_left_when_a_run_is_over(begin):
    before = threading.enumerate()
    with begin() as run:
        port = port_of(run.mcp_url)
        talk(run, count)
        with httpx2.Client(headers=ACCEPT, timeout=30) as client:
            client.post(run.mcp_url, json=HELLO)
    assert threading.enumerate() == before
    with socket.socket() as sock:
        assert sock.connect_ex(("127.0.0.1", port)) != 0


def test_a_request_that_has_just_come_when_the_run_ends_leaves_no_coroutine_that_never_ran(begin, monkeypatch):
    come, ending = threading.Event(), threading.Event()
    dispatch, soon = JSONRPCDispatcher._dispatch_request, asyncio.SelectorEventLoop.call_soon_threadsafe

    async def held(self, *args):
        come.set()
        ending.wait(20)
        await dispatch(self, *args)

    def noticed(self, *args, **options):
        handle = soon(self, *args, **options)
        if come.is_set():
            ending.set()
        return handle

    monkeypatch.setattr(JSONRPCDispatcher, "_dispatch_request", held)
    monkeypatch.setattr(asyncio.SelectorEventLoop, "call_soon_threadsafe", noticed)
    body = json.dumps(HELLO).encode()
    head = {**ACCEPT, "host": "localhost", "content-type": "application/json", "content-length": str(len(body))}
    lines = ["POST /mcp HTTP/1.1", *(f"{name}: {value}" for name, value in head.items()), "", ""]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with begin() as run, socket.create_connection(("127.0.0.1", port_of(run.mcp_url))) as client:
            client.sendall("\r\n".join(lines).encode() + body)
            assert come.wait(20)
        gc.collect()
    assert ending.is_set()
    assert [str(each.message) for each in caught] == []


def test_an_address_that_nobody_uses_costs_nothing_of_the_run(begin):
    with begin() as run:
        assert run.mcp_url
    assert run.result.status == "passed"
    assert run.clock.elapsed() == 0


@BOTH_MODES
def test_a_hundred_clients_at_once_lose_nothing(begin, mode):
    certificates = ssl.create_default_context()  # each client would read them anew, which takes longer than its calls

    async def agent(url, number):
        http = httpx2.AsyncClient(verify=certificates, timeout=None)
        async with http, mcp.Client(streamable_http_client(url, http_client=http), mode=mode) as client:
            for turn in range(1 if mode == "legacy" else 2):
                done = await client.call_tool("create_note", {"text": f"{number}/{turn}", "pages": 1})
                assert not done.is_error

    async def main(url):
        await asyncio.gather(*(agent(url, number) for number in range(100)))

    with begin() as run:
        asyncio.run(main(run.mcp_url))
        assert run.clock.notes == []
        made = [effect.after["text"] for effect in run.world.ledger]
    assert sorted(made) == sorted(f"{number}/{turn}" for number in range(100) for turn in range(len(made) // 100))
    assert run.trace.count("create_note") == len(made) == (100 if mode == "legacy" else 200)
    assert sorted(effect.call for effect in run.trace.effects()) == list(range(1, len(made) + 1))


def test_a_loop_that_outlives_the_run_is_left_without_its_server(begin):
    loop = asyncio.new_event_loop()
    try:
        with begin() as run:
            assert loop.run_until_complete(talk_to(run)) == 1
        assert not asyncio.all_tasks(loop)
        loop.run_until_complete(asyncio.sleep(0))
    finally:
        loop.close()


def test_a_loop_that_is_closed_by_hand_within_the_run_leaves_no_task(begin, caplog):
    with begin() as run:
        for _ in range(2):
            loop = asyncio.new_event_loop()
            assert loop.run_until_complete(talk_to(run)) == 1
            loop.close()
            assert "close" not in vars(loop)
        del loop
        gc.collect()
    assert caplog.records == [], "asyncio tells of a task that was destroyed although it was pending"


@pytest.mark.filterwarnings("ignore:asynchronous generator .* was scheduled after:ResourceWarning")  # by asyncio itself
def test_a_loop_whose_generators_are_ended_between_two_agents_serves_the_second_too(begin):
    loop = asyncio.new_event_loop()
    try:
        with begin() as run:
            for _ in range(2):
                assert loop.run_until_complete(talk_to(run)) == 1
                loop.run_until_complete(loop.shutdown_asyncgens())
            assert run.clock.notes == []
    finally:
        loop.close()


async def talk_to(run):
    async with mcp.Client(run.mcp_url) as client:
        return await count(client)


def test_a_run_may_begin_and_end_within_a_loop(begin):
    async def main():
        with begin() as run:
            counted = await talk_to(run)
        await asyncio.sleep(0.01)
        return counted, asyncio.all_tasks() - {asyncio.current_task()}

    assert asyncio.run(main()) == (1, set())


def test_an_agent_that_waits_for_nothing_is_ended_by_the_limit_although_somebody_listens(begin):
    async def main(run):
        assert run.mcp_url
        await asyncio.Event().wait()

    with pytest.raises(LimitReached), begin() as run:
        asyncio.run(main(run))


def test_a_session_outlives_days_that_pass(begin):
    async def agent(client):
        before = await count(client)
        run.clock.advance(3 * 86_400)
        await asyncio.sleep(1)
        return before, await count(client)

    with begin() as run:
        assert talk(run, agent, mode="legacy") == (1, 1)
