"""Faults of the session: what the official client sees of them on each way to the server, and what the trace tells."""

from __future__ import annotations

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx2
import mcp
import mcp_types
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError

from squall.trace.kinds import Abandoned
from tests.wire.mcp.test_http import opened, request

SESSIONS = pytest.mark.parametrize("where", ["mcp_server", "mcp_url"])
WAYS = pytest.mark.parametrize(
    ("where", "mode"),
    [(where, mode) for where in ("mcp_server", "mcp_url") for mode in ("auto", "legacy")],
)
MOVE = ("move", {"note_id": "1"})


def on(kind, **params):
    return {"target": "desk.move", "kind": kind, "nth": 1, **params}


def talk(run, where, agent, **options):
    async def main():
        async with mcp.Client(getattr(run, where), **options) as client:
            return await agent(client)

    return asyncio.run(main())


@asynccontextmanager
async def two_clients(run, where):
    options: dict[str, Any] = {"mode": "legacy", "read_timeout_seconds": 30}
    async with mcp.Client(getattr(run, where), **options) as one, mcp.Client(getattr(run, where), **options) as other:
        yield one, other


async def said(awaitable):
    """The code of what the client raises."""
    with pytest.raises(MCPError) as raised:
        await awaitable
    return raised.value.code


@contextmanager
def broken_connections():
    """The official client raises once more on leaving, for each request whose connection was broken."""
    try:
        yield
    except BaseExceptionGroup as group:
        matched, other = group.split(httpx2.RemoteProtocolError)
        if other is not None or matched is None:
            raise


def abandoned(run):
    return [event for _, event in run.trace if isinstance(event, Abandoned)]


# session_lost


@SESSIONS
def test_a_lost_session_stays_lost_until_the_client_opens_a_new_one(begin, where):
    async def agent(client):
        codes = [await said(client.call_tool(*MOVE)) for _ in range(3)]
        return [*codes, await said(client.list_tools())]

    with begin(on("session_lost")) as run:
        assert talk(run, where, agent, mode="legacy") == [mcp_types.INVALID_REQUEST] * 4
        assert run.world.revision == 0, "before the effect"
        talk(run, where, lambda client: client.call_tool(*MOVE), mode="legacy")
        assert run.world.revision == 1, "a new session finds the world as it is"
    assert [view.label for view in run.trace.calls()] == ["move!session_lost(before)", "move"]


@SESSIONS
def test_only_the_session_that_is_named_is_lost(begin, where):
    async def main(run):
        async with two_clients(run, where) as (one, other):
            await said(one.call_tool(*MOVE))
            return (await other.call_tool("count", {})).structured_content

    with begin(on("session_lost")) as run:
        assert asyncio.run(main(run)) == {"result": 1}


@SESSIONS
def test_without_sessions_the_one_call_is_lost(begin, where):
    async def agent(client):
        code = await said(client.call_tool(*MOVE))
        await client.call_tool(*MOVE)
        return code

    with begin(on("session_lost")) as run:
        assert talk(run, where, agent, mode="2026-07-28") == mcp_types.INVALID_REQUEST
        assert run.world.revision == 1


def test_over_http_a_lost_session_is_status_404(begin):
    seen = []

    async def note(response):
        seen.append((response.request.method, response.status_code))

    async def main(run):
        async with httpx2.AsyncClient(event_hooks={"response": [note]}, timeout=30) as http:
            transport = streamable_http_client(run.mcp_url, http_client=http)
            async with mcp.Client(transport, mode="legacy") as client:
                await said(client.call_tool(*MOVE))

    with begin(on("session_lost")) as run:
        asyncio.run(main(run))
    assert ("POST", 404) in seen


def test_a_lost_session_can_be_lost_after_the_effect(begin):
    with begin(on("session_lost", phase="after")) as run:
        talk(run, "mcp_url", lambda client: said(client.call_tool(*MOVE)), mode="legacy")
        assert run.world.revision == 1


# server_exit


@SESSIONS
def test_a_server_that_exits_ends_all_sessions_after_the_effect(begin, where):
    async def main(run):
        async with two_clients(run, where) as (one, other):
            await other.call_tool("count", {})
            codes.append(await said(one.call_tool(*MOVE)))
            codes.append(await said(one.call_tool("count", {})))
            codes.append(await said(other.call_tool("count", {})))

    codes: list[int] = []
    with begin(on("server_exit")) as run:
        with broken_connections():
            asyncio.run(main(run))
        assert run.world.revision == 1
        again = talk(run, where, lambda client: client.call_tool("count", {}), mode="legacy")
        assert again.structured_content == {"result": 1}, "it is there again"
    closed, gone = mcp_types.CONNECTION_CLOSED, mcp_types.INVALID_REQUEST
    assert codes == ([closed, gone, gone] if where == "mcp_url" else [closed, closed, closed])


@SESSIONS
def test_what_else_was_under_way_is_not_answered(begin, where):
    async def main(run):
        async with mcp.Client(getattr(run, where), mode="legacy", read_timeout_seconds=30) as client:
            slow = asyncio.create_task(client.call_tool("count", {}))
            await asyncio.sleep(1)
            await said(client.call_tool(*MOVE))
            with pytest.raises(MCPError):
                await slow

    rules = (on("server_exit"), {"target": "desk.count", "kind": "latency", "seconds": 20, "nth": 1})
    with begin(*rules) as run, broken_connections():
        asyncio.run(main(run))


# late_reply


@WAYS
def test_a_late_reply_comes_when_the_client_has_given_up_and_harms_nobody(begin, where, mode):
    async def agent(client):
        code = await said(client.call_tool(*MOVE))
        await asyncio.sleep(5)
        return code, (await client.call_tool("count", {})).structured_content

    with begin(on("late_reply")) as run:
        code, after = talk(run, where, agent, mode=mode, read_timeout_seconds=10)
        assert (code, after) == (mcp_types.REQUEST_TIMEOUT, {"result": 1})
        assert run.world.revision == 1
    assert [(event.told, event.operation) for event in abandoned(run)] == [(True, "done")]


def test_in_a_session_in_process_the_late_reply_reaches_the_client(begin, caplog):
    async def agent(client):
        await said(client.call_tool(*MOVE))
        await asyncio.sleep(5)

    with caplog.at_level("DEBUG", logger="mcp"), begin(on("late_reply", gone_for="2s")) as run:
        talk(run, "mcp_server", agent, mode="legacy", read_timeout_seconds=10)
    assert "dropping response for unknown/late request id" in caplog.text


@WAYS
def test_a_patient_client_gets_the_late_reply(begin, where, mode):
    with begin(on("late_reply", answer_after="20s")) as run:
        done = talk(run, where, lambda client: client.call_tool(*MOVE), mode=mode, read_timeout_seconds=60)
        assert done.structured_content == {"to": "top", "note_id": "1"}
        assert run.clock.elapsed() == 20


# progress_only


@WAYS
def test_progress_comes_and_no_reply(begin, where, mode):
    heard = []

    async def progress(count, total, message):
        heard.append(count)

    async def agent(client):
        return await said(client.call_tool(*MOVE, progress_callback=progress))

    with begin(on("progress_only", beat="2s")) as run:
        code = talk(run, where, agent, mode=mode, read_timeout_seconds=9)
        assert code == mcp_types.REQUEST_TIMEOUT
        assert run.world.revision == 1
    assert heard == [1, 2, 3, 4]


def test_a_client_that_waits_for_ever_is_told_of_an_error_in_the_end(begin):
    with begin(on("progress_only")) as run:
        done = talk(run, "mcp_url", lambda client: client.call_tool(*MOVE))
        assert done.is_error
        assert run.clock.elapsed() == 600


# paged_tools


@WAYS
def test_tools_come_in_pages(begin, where, mode):
    async def agent(client):
        pages = [await client.list_tools()]
        while pages[-1].next_cursor:
            pages.append(await client.list_tools(cursor=pages[-1].next_cursor))
        return [[tool.name for tool in page.tools] for page in pages]

    with begin({"target": "session.list_tools", "kind": "paged_tools", "page_size": 5}) as run:
        pages = talk(run, where, agent, mode=mode)
        assert [len(page) for page in pages] == [5, 5, 2]
        assert [name for page in pages for name in page] == list(run.world.operations)
    assert [(fault.fault, fault.target, fault.call) for fault in run.trace.faults()] == [
        ("paged_tools", "session.list_tools", 0)
    ]


def test_only_the_first_list_comes_in_pages_where_that_is_asked_for(begin):
    async def agent(client):
        return [len((await client.list_tools(cache_mode="bypass")).tools) for _ in range(2)]

    with begin({"target": "session.list_tools", "kind": "paged_tools", "page_size": 5, "nth": 1}) as run:
        assert talk(run, "mcp_url", agent) == [5, 12]


def test_a_list_that_fits_on_a_page_has_not_been_paged(begin):
    with begin({"target": "session.list_tools", "kind": "paged_tools", "page_size": 10, "nth": 1}) as run:
        run.interposer.removed.update(run.interposer.visible()[:2])  # as tool_removed does
        talk(run, "mcp_url", lambda client: client.list_tools())
        assert run.finish().status == "not_fired"


@pytest.mark.parametrize("cursor", ["5", "", "NTowIA==", "LTE6NQ==", "NTotNQ==", "\N{SNOWMAN}"])
def test_a_cursor_of_somebody_elses_is_refused(begin, cursor):
    with begin() as run:
        code = talk(run, "mcp_server", lambda client: said(client.list_tools(cursor=cursor)))
        assert code == mcp_types.INVALID_PARAMS


# tool_removed


@SESSIONS
def test_a_removed_tool_is_told_to_every_session(begin, where):
    heard: dict[str, list[str]] = {"one": [], "other": []}

    def listen(name):
        async def handler(message):
            heard[name].append(type(message).__name__)

        return handler

    async def main(run):
        options: dict[str, Any] = {"mode": "legacy"}
        async with mcp.Client(getattr(run, where), message_handler=listen("one"), **options) as one:
            tools = one.server_capabilities.tools
            assert tools is not None
            assert tools.list_changed
            async with mcp.Client(getattr(run, where), message_handler=listen("other"), **options) as other:
                await other.list_tools()
                await asyncio.sleep(1)
                await said(one.call_tool(*MOVE))
                await asyncio.sleep(1)
                return "move" in [tool.name for tool in (await other.list_tools()).tools]

    with begin(on("tool_removed")) as run:
        assert asyncio.run(main(run)) is False
    assert heard["one"] == heard["other"] == ["ToolListChangedNotification"]


def test_a_listening_client_hears_of_it_where_there_are_no_sessions(begin):
    async def agent(client):
        async with client.listen(tools_list_changed=True) as events:
            await said(client.call_tool(*MOVE))
            return type(await anext(aiter(events))).__name__

    with begin(on("tool_removed")) as run:
        assert talk(run, "mcp_url", agent, mode="auto") == "ToolsListChanged"


# giving up


@WAYS
@pytest.mark.parametrize(
    ("phase", "operation"),
    [("before", "not_run"), ("after", "done"), ("late", "late")],
    ids=["before", "after", "late"],
)
def test_the_trace_tells_of_a_cancellation_and_how_the_operation_stood(begin, where, mode, phase, operation):
    with begin(on("timeout", phase=phase)) as run:
        code = talk(run, where, lambda client: said(client.call_tool(*MOVE)), mode=mode, read_timeout_seconds=5)
        assert code == mcp_types.REQUEST_TIMEOUT
    assert [(event.call, event.told, event.operation) for event in abandoned(run)] == [(1, True, operation)]
    assert run.world.revision == (0 if phase == "before" else 1)


def test_a_caller_in_python_gives_up_without_a_word(begin):
    async def agent(run):
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5):
                await run.tools.aio.move(note_id="1")

    with begin(on("timeout")) as run:
        asyncio.run(agent(run))
    assert [(event.told, event.operation) for event in abandoned(run)] == [(False, "done")]


def test_a_server_that_exits_ends_what_other_loops_serve_in_those_loops(begin):
    async def serve(run, ready):
        ended = asyncio.Event()
        with run.mcp_server.sessions.ending_by(ended.set):
            ready.set()
            await asyncio.wait_for(ended.wait(), 10)
        return True

    with begin(clock="wall") as run, ThreadPoolExecutor() as pool:
        ready = threading.Event()
        served = pool.submit(lambda: asyncio.run(serve(run, ready)))
        ready.wait(10)
        run.mcp_server.sessions.exit()
        assert served.result(10)
        run.mcp_server.sessions.exit()  # nobody is left, and nothing happens


def test_over_http_a_client_of_a_session_that_merely_hangs_up_has_not_given_up(begin):
    async def main(run):
        async with httpx2.AsyncClient(timeout=5) as http:
            headers = await opened(http, run.mcp_url)
            with pytest.raises(httpx2.ReadTimeout):
                await http.post(run.mcp_url, json=request(2, name="move", arguments={"note_id": "1"}), headers=headers)
            await asyncio.sleep(60)

    with begin(on("timeout", answer_after="20s")) as run:
        asyncio.run(main(run))
    assert abandoned(run) == []
    (view,) = run.trace.calls()
    assert (view.label, view.latency_ms) == ("move!timeout(after)", 20_000)
