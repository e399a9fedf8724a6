"""stdio as anything but the official client may speak it: bad lines are answered, and the server goes on."""

from __future__ import annotations

import asyncio
import json
import os
import tracemalloc
from contextlib import asynccontextmanager
from itertools import accumulate

import mcp_types as types
import pytest

from squall.wire.mcp import stdio

HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}},
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
PARSE, INVALID = -32700, -32600


def request(number, method="tools/call", /, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


class Talk:
    """A client that writes whatever bytes it likes."""

    def __init__(self, to_server, from_server, served):
        self._out, self._reader, self._served = to_server, from_server, served

    async def send(self, message):
        data = message if isinstance(message, bytes) else json.dumps(message).encode()
        await asyncio.to_thread(self._write, data + b"\n")

    def _write(self, data):
        view = memoryview(data)
        while view:
            view = view[os.write(self._out, view) :]

    async def hear(self):
        return json.loads(await self.line())

    async def line(self):
        return await self._reader.readline()

    async def leave(self):
        """End the server's input, and wait for it to end its output."""
        self.close()
        await asyncio.wait_for(self._served, 20)

    def close(self):
        if self._out is not None:
            os.close(self._out)
        self._out = None

    async def ask(self, message):
        await self.send(message)
        return await self.hear()


@asynccontextmanager
async def talking(run, *, ready=True):
    """A server at the other end of two pipes."""
    server_in, to_server = os.pipe()
    from_server, server_out = os.pipe()
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader(limit=2**26)
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(from_server))

    async def serve():
        try:
            await stdio.serve(run.mcp_server, server_in, stdio.Out(server_out))
        finally:
            os.close(server_out)

    task = asyncio.create_task(serve())
    talk = Talk(to_server, reader, task)
    try:
        if ready:
            assert (await talk.ask(HELLO))["result"]["serverInfo"]["name"] == "office"
            await talk.send(READY)
        yield talk
        await talk.leave()
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        talk.close()
        transport.close()
        os.close(server_in)


def talk(begin, agent, *rules, **options):
    async def main(run):
        async with talking(run, **options) as client:
            return await agent(client)

    with begin(*rules, clock="wall") as run:
        return asyncio.run(main(run))


HOSTILE = {
    "no JSON": (b"{", PARSE, None),
    "words": (b"hello", PARSE, None),
    "deep": (b"[" * 200_000, PARSE, None),
    "no text": (b"\xff\xfe", PARSE, None),
    "a batch": (json.dumps([request(5)]).encode(), INVALID, None),
    "a number": (b"5", INVALID, None),
    "null": (b"null", INVALID, None),
    "no version": (b'{"id":7,"method":"tools/list"}', INVALID, 7),
    "a wrong version": (b'{"jsonrpc":"1.0","id":"x","method":"tools/list"}', INVALID, "x"),
    "an id of a wrong type": (b'{"jsonrpc":"2.0","id":{"a":1},"method":5}', INVALID, None),
    "an id that is true": (b'{"jsonrpc":"2.0","id":true,"method":5}', INVALID, None),
    "a method of a wrong type": (b'{"jsonrpc":"2.0","id":8,"method":["tools/list"]}', INVALID, 8),
    "parameters of a wrong type": (b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":[1,2]}', INVALID, 9),
    "a huge line": (b"x" * (5 * 2**20), INVALID, None),
}


NO_IDS = (None, True, 1.5, 1.0, {"a": 1}, [1])


@pytest.mark.parametrize(("line", "code", "name"), HOSTILE.values(), ids=HOSTILE)
def test_a_line_that_is_no_message_is_answered_and_the_server_goes_on(begin, line, code, name):
    async def agent(client):
        return await client.ask(line), await client.ask(request(2, name="count"))

    answer, after = talk(begin, agent)
    assert (answer["id"], answer["error"]["code"]) == (name, code)
    assert (after["id"], after["result"]["structuredContent"]) == (2, {"result": 1})


@pytest.mark.parametrize("name", NO_IDS, ids=json.dumps)
@pytest.mark.parametrize("method", ["tools/list", "tools/call", "notifications/initialized"])
def test_a_request_whose_id_has_a_wrong_type_is_refused_and_not_carried_out(begin, name, method):
    async def agent(client):
        refused = await client.ask(request(name, method, name="move", arguments={"note_id": "1"}))
        return refused, await client.ask(request(2, name="count"))

    async def main(run):
        async with talking(run) as client:
            return await agent(client)

    with begin(clock="wall") as run:
        answer, after = asyncio.run(main(run))
        assert run.world.revision == 0
    assert (answer["id"], answer["error"]["code"]) == (None, INVALID)
    assert after["id"] == 2


@pytest.mark.parametrize("name", NO_IDS, ids=json.dumps)
def test_so_is_one_of_a_client_without_sessions_and_one_before_the_greeting(begin, name):
    meta = {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}

    async def agent(client):
        return await client.ask(request(name, "tools/list", _meta=meta)), await client.ask({**HELLO, "id": name})

    for answer in talk(begin, agent, ready=False):
        assert (answer["id"], answer["error"]["code"]) == (None, INVALID)


def test_what_comes_before_the_greeting_is_refused(begin):
    async def agent(client):
        return await client.ask(b"}"), await client.ask(request(3, name="count")), await client.ask(HELLO)

    first, second, greeting = talk(begin, agent, ready=False)
    assert first["error"]["code"] == PARSE
    assert (second["id"], second["error"]["code"]) == (3, -32602)
    assert "result" in greeting


def test_empty_lines_are_nothing(begin):
    async def agent(client):
        await client.send(b"\n \n\r")
        return await client.ask(request(2, name="count"))

    assert talk(begin, agent)["id"] == 2


def test_requests_of_one_id_are_each_answered(begin):
    async def agent(client):
        for _ in range(3):
            await client.send(request(5, name="count"))
        return [await client.hear() for _ in range(3)]

    answers = talk(begin, agent)
    assert [(answer["id"], answer["result"]["structuredContent"]) for answer in answers] == [(5, {"result": 1})] * 3


def test_a_line_without_end_does_not_fill_the_memory(begin):
    async def agent(client):
        tracemalloc.start()
        try:
            for _ in range(16):
                await asyncio.to_thread(client._write, b"x" * 2**22)
            await client.send(b"")
            answer = await client.hear()
            return answer, tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    answer, peak = talk(begin, agent)
    assert answer["error"]["code"] == INVALID
    assert peak < 40 * 2**20, f"{peak / 2**20:.0f} MiB at most, of 64 that came in"


def test_a_message_as_large_as_allowed_passes(begin):
    async def agent(client):
        return await client.ask(request(4, name="create_note", arguments={"text": "x" * (stdio.LARGEST - 200)}))

    answer = talk(begin, agent)
    assert answer["id"] == 4
    assert not answer["result"].get("isError")


def test_the_last_line_may_lack_its_end(begin):
    async def main(run):
        async with talking(run) as client:
            await asyncio.to_thread(
                client._write, json.dumps(request(6, name="move", arguments={"note_id": "1"})).encode()
            )

    with begin(clock="wall") as run:
        asyncio.run(main(run))
        assert run.world.revision == 1


def left(begin, *rules, sent, **options):
    """What a client hears that sends all that it has to say, ends its output and listens."""

    async def main(run):
        heard = []
        async with talking(run, **options) as client:
            for message in sent:
                await client.send(message)
            await client.leave()
            while line := await client.line():
                heard.append(json.loads(line))
        return heard

    with begin(*rules, clock="wall") as run:
        return asyncio.run(main(run))


def test_what_was_asked_before_the_input_ended_is_answered(begin):
    slow = {"target": "desk.count", "kind": "latency", "seconds": 0.2, "every": 1}
    asked = [request(5, name="count"), request("6", "tools/list"), request(None, "tools/list"), b"{"]
    heard = left(begin, slow, sent=asked)
    found = {answer["id"]: answer.get("error", {}).get("code") for answer in heard}
    assert found == {5: None, "6": None, None: PARSE}
    assert [answer["error"]["code"] for answer in heard if answer["id"] is None] == [INVALID, PARSE]


def test_a_broken_line_with_the_id_of_a_call_does_not_make_that_one_answered(begin):
    slow = {"target": "desk.count", "kind": "latency", "seconds": 0.2, "every": 1}
    broken = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": [1]}
    heard = left(begin, slow, sent=[request(5, name="count"), broken])
    assert [answer.get("error", {}).get("code") for answer in heard] == [INVALID, None]


def test_a_call_that_is_cancelled_keeps_nobody_from_leaving(begin, monkeypatch):
    monkeypatch.setattr(stdio, "PATIENCE", 3600)
    slow = {"target": "desk.count", "kind": "latency", "seconds": 3600, "every": 1}
    cancelled = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 5}}
    assert left(begin, slow, sent=[request(5, name="count"), cancelled]) == []


def test_a_call_that_takes_too_long_is_given_up_when_the_input_has_ended(begin, monkeypatch):
    monkeypatch.setattr(stdio, "PATIENCE", 0.05)
    slow = {"target": "desk.count", "kind": "latency", "seconds": 3600, "every": 1}
    (answer,) = left(begin, slow, sent=[request(5, name="count")])
    assert (answer["id"], answer["error"]["code"]) == (5, -32000)


def test_a_client_that_listens_for_changes_may_leave_at_any_time(begin, monkeypatch):
    monkeypatch.setattr(stdio, "PATIENCE", 3600)
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "agent", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    listen = request(5, "subscriptions/listen", notifications={"toolsListChanged": True}, _meta=meta)
    left(begin, sent=[listen], ready=False)


def test_a_server_that_exits_says_nothing_more(begin):
    rule = {"target": "desk.move", "kind": "server_exit", "nth": 1}

    async def main(run):
        async with talking(run) as client:
            out = []
            with run.mcp_server.sessions.ending_by(lambda: out.append("exited")):
                await client.send(request(6, name="move", arguments={"note_id": "1"}))
                answer = await client.hear()
            return out, answer

    with begin(rule, clock="wall") as run:
        out, answer = asyncio.run(main(run))
        assert run.world.revision == 1
    assert out == ["exited"]
    assert answer["error"]["code"] == -32000


def test_no_more_is_read_while_as_many_wait_as_may_and_in_the_end_each_is_answered(begin, monkeypatch):
    monkeypatch.setattr(stdio, "MOST", 3)
    slow = {"target": "desk.count", "kind": "latency", "seconds": 0.02, "every": 1}

    async def main(run):
        async with talking(run) as client:
            for number in range(2, 12):
                await client.send(request(number, name="count"))
            return {(await client.hear())["id"] for _ in range(2, 12)}

    with begin(slow, clock="wall") as run:
        assert asyncio.run(main(run)) == set(range(2, 12))
    steps = [{"ToolCall": 1, "ToolResult": -1}.get(type(event).__name__, 0) for _, event in run.trace]
    assert max(accumulate(steps)) == 3


@pytest.mark.parametrize("settled", ["answered", "cancelled"])
def test_room_comes_with_an_answer_that_is_written_or_no_longer_wanted(monkeypatch, settled):
    monkeypatch.setattr(stdio, "MOST", 2)
    answer = types.JSONRPCResponse(jsonrpc="2.0", id=1, result={})
    cancelled = types.JSONRPCNotification(
        jsonrpc="2.0", method="notifications/cancelled", params={"requestId": 1, "reason": "no"}
    )

    async def main():
        owed = stdio.Owed()
        for number, method in enumerate(("tools/call", stdio.ENDLESS), start=1):
            await owed.room()
            owed.heard(types.JSONRPCRequest(jsonrpc="2.0", id=number, method=method))
        waiting = asyncio.ensure_future(owed.room())
        await asyncio.sleep(0)
        assert not waiting.done()
        if settled == "answered":
            owed.told(answer)
        else:
            owed.heard(cancelled)
        await waiting
        await owed.nothing()

    asyncio.run(main())


def test_an_id_that_somebody_listened_under_is_owed_an_answer_when_it_is_used_again():
    async def main():
        owed = stdio.Owed()
        for method in (stdio.ENDLESS, "tools/call"):
            owed.heard(types.JSONRPCRequest(jsonrpc="2.0", id=1, method=method))
            waiting = asyncio.ensure_future(owed.nothing())
            await asyncio.sleep(0)
            assert waiting.done() == (method == stdio.ENDLESS)
            owed.told(types.JSONRPCResponse(jsonrpc="2.0", id=1, result={}))
            await waiting

    asyncio.run(main())


def test_standard_streams_are_kept_for_the_protocol(capfd):
    kept = [os.dup(number) for number in (0, 1)]
    try:
        fd_in, fd_out = stdio.take_standard_streams()
        try:
            os.write(1, b"a handler prints\n")
            os.write(fd_out, b"a message\n")
            assert os.read(0, 10) == b""
        finally:
            os.close(fd_in)
            os.close(fd_out)
    finally:
        for number, fd in enumerate(kept):
            os.dup2(fd, number)
            os.close(fd)
    assert tuple(capfd.readouterr()) == ("a message\n", "a handler prints\n")
