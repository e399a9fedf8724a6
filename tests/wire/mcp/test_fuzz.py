"""Whatever comes in over stdio or HTTP, each message is answered as JSON-RPC asks, and the server goes on."""

from __future__ import annotations

import asyncio
import json
from collections import Counter

import httpx2
from hypothesis import given, settings
from hypothesis import strategies as st

from squall.runs.environment import Environment
from squall.wire.mcp.http import Endpoint
from squall.wire.mcp.listening import Http
from squall.wire.sockets import reserve, url_of
from tests.wire.mcp.test_http import ACCEPT, WAYS, headers_for, message_of, opened, request, served
from tests.wire.mcp.test_stdio import talking

EXAMPLES = 25
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
)
METHODS = ("tools/call", "tools/list", "ping", "initialize", "subscriptions/listen", "logging/setLevel", "", "a/b")
names = st.sampled_from(["count", "get_note", "move", "none", ""]) | scalars
params = st.fixed_dictionaries(
    {}, optional={"name": names, "arguments": values, "cursor": scalars, "_meta": values, "protocolVersion": scalars}
)
envelopes = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | scalars,
        "id": st.integers(10, 99) | scalars,
        "method": st.sampled_from(METHODS) | values,
        "params": params | values,
        "result": values,
        "error": values,
    },
)
messages = envelopes | values
junk = st.binary(max_size=40).map(lambda data: data.replace(b"\n", b" "))
lines = st.one_of(messages.map(lambda message: json.dumps(message).encode()), junk)


no_names = values.filter(lambda value: isinstance(value, bool) or not isinstance(value, str | int))
unnamed = st.builds(
    lambda name, method, given: {"jsonrpc": "2.0", "id": name, "method": method, **given},
    no_names,
    st.sampled_from([name for name in METHODS if name]),
    st.fixed_dictionaries({}, optional={"params": params}),
)
"""Requests in which nothing is wrong but the id."""


named = st.builds(
    lambda name, method, given: {"jsonrpc": "2.0", "id": name, "method": method, **given},
    st.integers(1, 3) | st.sampled_from(["1", "a", ""]),
    st.sampled_from([name for name in METHODS if name != "subscriptions/listen"]),
    st.fixed_dictionaries({}, optional={"params": params | values}),
)
"""Requests whose id is one, whatever else may be wrong; some have the id of another."""
silent = st.sampled_from([{"jsonrpc": "2.0", "method": f"notifications/{name}"} for name in ("initialized", "none")])
BROKEN = ("{", "[]", "5", '{"jsonrpc": "2.0"}', "\x00", '{"id": null}')
broken = st.sampled_from(BROKEN)


def is_json(message):
    """Whether clients over HTTP send it: no number is infinite."""
    return "Infinity" not in json.dumps(message)


def fits(answer):
    """Whether it is a response of JSON-RPC 2.0, or a message that a server may send by itself."""
    if "method" in answer:
        return answer["jsonrpc"] == "2.0"
    well = answer["jsonrpc"] == "2.0" and ("result" in answer) != ("error" in answer)
    return well and ("error" not in answer or isinstance(answer["error"]["code"], int))


@settings(max_examples=EXAMPLES)
@given(st.lists(lines, min_size=1, max_size=12))
def test_any_lines_over_stdio(office, sent):
    async def main(run):
        async with talking(run) as client:
            for line in sent:
                await client.send(line)
            await client.send(request("last", name="count"))
            while True:
                answer = await asyncio.wait_for(client.hear(), 20)
                assert fits(answer), answer
                if answer.get("id") == "last":
                    return answer

    with Environment(office, clock="wall") as run:
        try:
            assert asyncio.run(main(run))["result"]["structuredContent"] == {"result": 1}
        finally:
            run.interposer.bugs.clear()


@settings(max_examples=EXAMPLES)
@given(st.lists(named | silent | broken, min_size=1, max_size=12), st.booleans())
def test_each_request_is_answered_once_over_stdio_and_so_is_each_broken_line(office, sent, ready):
    async def main(run):
        answers: Counter[str] = Counter()
        async with talking(run, ready=ready) as client:
            for message in sent:
                await client.send(message.encode() if isinstance(message, str) else message)
            await client.leave()
            while line := await client.line():
                answers[repr(json.loads(line)["id"])] += 1
        return answers

    owed = Counter(repr(None if each in BROKEN else each["id"]) for each in sent if each in BROKEN or "id" in each)
    with Environment(office, clock="wall") as run:
        try:
            assert asyncio.run(main(run)) == owed
        finally:
            run.interposer.bugs.clear()


@settings(max_examples=EXAMPLES)
@given(st.lists(unnamed, min_size=1, max_size=12), st.booleans())
def test_any_id_of_a_wrong_type_over_stdio(office, sent, ready):
    async def main(run):
        async with talking(run, ready=ready) as client:
            for message in sent:
                answer = await asyncio.wait_for(client.ask(message), 20)
                assert (answer["id"], answer["error"]["code"]) == (None, -32600), message

    with Environment(office, clock="wall") as run:
        asyncio.run(main(run))
        assert run.world.revision == 0


@settings(max_examples=EXAMPLES)
@given(st.lists(unnamed.filter(is_json), min_size=1, max_size=6), st.sampled_from(WAYS))
def test_any_id_of_a_wrong_type_over_http(office, sent, way):
    async def agent(http, url):
        headers = await headers_for(way, http, url)
        for body in sent:
            reply = await http.post(url, json=body, headers=headers)
            found = reply.json()
            assert (reply.status_code, found["id"], found["error"]["code"]) == (400, None, -32600), body

    with Environment(office) as run:
        served(run, agent)
        assert run.world.revision == 0


@settings(max_examples=EXAMPLES)
@given(st.lists(lines, min_size=1, max_size=6), st.booleans())
def test_any_bodies_over_http(office, sent, modern):
    async def main(run):
        with reserve() as sock:
            endpoint, url = Endpoint(run.mcp_server, "127.0.0.1"), url_of(sock, "/mcp")
            async with endpoint.running(), Http(endpoint).on(sock), httpx2.AsyncClient(timeout=30) as http:
                headers = {**ACCEPT, "mcp-protocol-version": "2026-07-28"} if modern else await opened(http, url)
                for body in sent:
                    reply = await http.post(url, content=body, headers=headers)
                    assert reply.status_code in {200, 202, 400, 404, 406, 413}, (body, reply.status_code, reply.text)
                    if reply.status_code == 200:
                        answer = message_of(reply)
                        assert fits(answer), reply.text
                        assert "method" in answer or answer["id"] == json.loads(body)["id"], (body, reply.text)
                after = await opened(http, url)
                return message_of(await http.post(url, json=request(1, name="count"), headers=after))

    with Environment(office) as run:
        try:
            assert asyncio.run(main(run))["result"]["structuredContent"] == {"result": 1}
        finally:
            run.interposer.bugs.clear()
