"""Streamable HTTP as anything but the official client may speak it: who is let in, and what hostile requests get."""

from __future__ import annotations

import asyncio
import json
import socket
from contextlib import suppress

import httpx2
import pytest

from squall.errors import UsageError
from squall.wire.mcp.http import Endpoint, allowed
from squall.wire.mcp.listening import Http
from squall.wire.sockets import BusyPort, reserve, url_of

ACCEPT = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
EVERY_ADDRESS = ".".join("0000")
HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "agent", "version": "1"}},
}
READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
MODERN = {"mcp-protocol-version": "2026-07-28", "mcp-method": "tools/list"}


def served(run, agent, *, host="127.0.0.1"):
    """Runs `agent(http, url)` beside a server that thinks it is at `host`."""

    async def main():
        with reserve() as sock:
            endpoint, url = Endpoint(run.mcp_server, host), url_of(sock, "/mcp")
            async with endpoint.running(), Http(endpoint).on(sock), httpx2.AsyncClient(timeout=30) as http:
                return await agent(http, url)

    return asyncio.run(main())


async def opened(http, url):
    """The headers of a session that is ready."""
    reply = await http.post(url, json=HELLO, headers=ACCEPT)
    headers = {**ACCEPT, "mcp-session-id": reply.headers["mcp-session-id"]}
    assert (await http.post(url, json=READY, headers=headers)).status_code == 202
    return headers


def request(number, method="tools/call", /, **params):
    return {"jsonrpc": "2.0", "id": number, "method": method, "params": params}


def message_of(reply):
    """The JSON of a reply, whether it came alone or as an event."""
    if reply.headers["content-type"].startswith("text/event-stream"):
        return json.loads(reply.text.partition("data: ")[2].partition("\r\n")[0])
    return reply.json()


def status_with(run, at="127.0.0.1", /, **headers):
    async def agent(http, url):
        return (await http.post(url, json=HELLO, headers={**ACCEPT, **headers})).status_code

    return served(run, agent, host=at)


@pytest.mark.parametrize(
    ("header", "value", "status"),
    [
        ("host", "localhost", 200),
        ("host", "127.0.0.1:1234", 200),
        ("host", "[::1]:80", 200),
        ("host", "evil.example", 421),
        ("host", "127.0.0.1.evil.example", 421),
        ("host", "localhost.evil.example:80", 421),
        ("origin", "http://localhost:3000", 200),
        ("origin", "https://127.0.0.1", 200),
        ("origin", "http://evil.example", 403),
        ("origin", "http://localhost.evil.example", 403),
        ("origin", "null", 403),
    ],
)
def test_only_this_machines_names_are_let_in(begin, header, value, status):
    with begin() as run:
        assert status_with(run, **{header: value}) == status


@pytest.mark.parametrize(("name", "status"), [("10.0.0.7", 200), ("10.0.0.7:8000", 200), ("evil.example", 421)])
def test_at_another_address_its_own_name_counts_besides(begin, name, status):
    with begin() as run:
        assert status_with(run, "10.0.0.7", host=name) == status


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "squall.internal:8000"}, 200),
        ({"host": "evil.example", "origin": "http://evil.example"}, 403),
    ],
)
def test_where_every_address_is_served_any_name_leads_here_and_foreign_pages_still_do_not(begin, headers, status):
    with begin() as run:
        assert status_with(run, EVERY_ADDRESS, **headers) == status


def test_the_names_of_an_address_of_version_6_are_in_brackets():
    assert "[fe80::1]:*" in allowed("fe80::1").allowed_hosts
    assert allowed("::").allowed_hosts == allowed("127.0.0.1").allowed_hosts


def test_there_is_nothing_at_another_path(begin):
    async def agent(http, url):
        replies = [await http.post(url.replace("/mcp", path), json=HELLO, headers=ACCEPT) for path in ("/", "/sse")]
        return [reply.status_code for reply in replies], (
            await http.post(f"{url}/", json=HELLO, headers=ACCEPT)
        ).status_code

    with begin() as run:
        assert served(run, agent) == ([404, 404], 200)


def test_a_port_that_is_taken_is_said_in_one_line():
    with reserve() as sock:
        port = sock.getsockname()[1]
        with pytest.raises(BusyPort) as busy:
            reserve("127.0.0.1", port)
    assert str(busy.value) == f"port {port} of 127.0.0.1 is taken: choose another with --port, or end what uses it"


@pytest.mark.parametrize("host", ["no.such.host.invalid", "1.2.3.4.5"])
def test_an_address_that_is_none_is_a_clear_error(host):
    with pytest.raises(UsageError, match="there is no address"):
        reserve(host)


def test_an_address_of_another_machine_is_a_clear_error():
    with pytest.raises(UsageError, match=r"cannot listen on 192\.0\.2\.1:0"):
        reserve("192.0.2.1")


HOSTILE = {
    "no JSON": b"{",
    "nothing": b"",
    "deep": b"[" * 200_000,
    "deep arguments": b'{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"count","arguments":'
    + b'{"a":' * 5000
    + b"1"
    + b"}" * 5000
    + b"}}",
    "a batch": json.dumps([request(5, "tools/list")]).encode(),
    "a number": b"5",
    "no version": b'{"id":1,"method":"tools/list"}',
    "a wrong version": b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
    "an id of a wrong type": b'{"jsonrpc":"2.0","id":{"a":1},"method":5}',
    "a method of a wrong type": b'{"jsonrpc":"2.0","id":1,"method":["tools/list"]}',
    "parameters of a wrong type": b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":[1,2]}',
    "no text": b"\xff\xfe\x00",
    "a lone surrogate": b'{"jsonrpc":"2.0","id":1,"method":"\\ud800","params":{"name":"\\ud800"}}',
    "an endless number": b'{"jsonrpc":"2.0","id":' + b"9" * 10_000 + b',"method":"tools/list"}',
    "a huge body": b" " * (5 * 2**20),
}


@pytest.mark.parametrize("body", HOSTILE.values(), ids=HOSTILE)
@pytest.mark.parametrize("modern", [False, True], ids=["legacy", "modern"])
def test_a_hostile_body_is_refused_and_the_server_goes_on(begin, body, modern):
    async def agent(http, url):
        headers = {**ACCEPT, **MODERN} if modern else await opened(http, url)
        reply = await http.post(url, content=body, headers=headers)
        after = await opened(http, url)
        listed = message_of(await http.post(url, json=request(2, "tools/list"), headers=after))
        return reply, listed

    with begin() as run:
        reply, listed = served(run, agent)
        assert len(listed["result"]["tools"]) == len(run.world.operations)
    assert 400 <= reply.status_code < 500 or "error" in message_of(reply), reply.text
    if reply.headers.get("content-type", "").startswith("application/json"):
        assert reply.json()["error"]["code"] in range(-32768, -31999)
    assert len(reply.content) < 10_000


NO_IDS = (None, True, 1.5, 1.0, {"a": 1}, [1])
WAYS = ("before a session", "legacy", "modern")


async def headers_for(way, http, url):
    return await opened(http, url) if way == "legacy" else {**ACCEPT, **(MODERN if way == "modern" else {})}


@pytest.mark.parametrize("name", NO_IDS, ids=json.dumps)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("method", ["tools/list", "tools/call", "initialize", "notifications/initialized"])
def test_a_request_whose_id_has_a_wrong_type_is_refused_and_not_carried_out(begin, way, method, name):
    async def agent(http, url):
        body = request(name, method, name="move", arguments={"note_id": "1"})
        return await http.post(url, json=body, headers=await headers_for(way, http, url))

    with begin() as run:
        reply = served(run, agent)
        assert run.world.revision == 0
    assert (reply.status_code, reply.json()["id"], reply.json()["error"]["code"]) == (400, None, -32600)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(
    ("body", "code", "name"),
    [
        (b"[1,2]", -32600, None),
        (b"5", -32600, None),
        (b"null", -32600, None),
        (b'{"jsonrpc":"2.0","id":null,"result":{}}', -32600, None),
        (b'{"jsonrpc":"2.0","method":5}', -32600, None),
        (b'{"jsonrpc":"2.0","id":NaN,"method":"tools/list"}', -32600, None),
        (b"[1,2", -32700, None),
        (b"", -32700, None),
        (b'{"jsonrpc":"1.0","id":7,"method":"tools/list"}', -32600, 7),
    ],
)
def test_a_body_that_is_no_message_is_refused_in_the_words_of_the_protocol(begin, way, body, code, name):
    async def agent(http, url):
        return await http.post(url, content=body, headers=await headers_for(way, http, url))

    with begin() as run:
        reply = served(run, agent)
    found = reply.json()
    assert (reply.status_code, found["error"]["code"]) == (400, code)
    assert found["id"] in (None, name) if way == "modern" else found["id"] == name
    assert "pydantic" not in reply.text


def test_responses_and_notifications_of_a_client_are_taken(begin):
    async def agent(http, url):
        headers = await opened(http, url)
        error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": "no"}}
        sent = ({"jsonrpc": "2.0", "id": 3, "result": {}}, error, {**READY, "params": None})
        return [(await http.post(url, json=message, headers=headers)).status_code for message in sent]

    with begin() as run:
        assert served(run, agent) == [202, 202, 202]


@pytest.mark.parametrize(
    ("header", "status"), [({"host": "evil.example"}, 421), ({"origin": "http://evil.example"}, 403)]
)
def test_whoever_may_not_talk_to_it_is_not_told_what_is_wrong_with_a_body(begin, header, status):
    async def agent(http, url):
        return (await http.post(url, content=b"[1,2]", headers={**ACCEPT, **header})).status_code

    with begin() as run:
        assert served(run, agent) == status


@pytest.mark.parametrize(
    ("params", "code"),
    [
        ({}, -32602),
        ({"name": 5}, -32602),
        ({"name": "count", "arguments": [1]}, -32602),
        ({"name": "nothing", "arguments": {}}, -32602),
        ({"name": "count", "_meta": 5}, -32602),
    ],
)
def test_wrong_parameters_are_named_as_the_protocol_does(begin, params, code):
    async def agent(http, url):
        headers = await opened(http, url)
        return message_of(await http.post(url, json=request(7, **params), headers=headers))

    with begin() as run:
        answer = served(run, agent)
    assert (answer["id"], answer["error"]["code"]) == (7, code)


def test_an_unknown_method_is_told_so(begin):
    async def agent(http, url):
        headers = await opened(http, url)
        return message_of(await http.post(url, json=request("a", "tools/none"), headers=headers))

    with begin() as run:
        answer = served(run, agent)
    assert (answer["id"], answer["error"]["code"]) == ("a", -32601)


def test_bytes_that_are_no_http_harm_nobody(begin):
    async def agent(http, url):
        port = int(url.rpartition(":")[2].partition("/")[0])
        endless = b"POST /mcp HTTP/1.1\r\nx: " + b"y" * 2**20
        for junk in (
            endless,
            b"\x00" * 1000,
            b"GET",
            b"POST /mcp HTTP/1.1\r\ncontent-length: -5\r\n\r\n",
            b"A" * 200_000,
        ):
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            with suppress(ConnectionError):
                writer.write(junk)
                writer.write_eof()
                await reader.read()
            writer.close()
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-length: 1000\r\n\r\n{")
        headers = await opened(http, url)
        writer.close()
        return message_of(await http.post(url, json=request(1, name="count"), headers=headers))

    with begin() as run:
        assert served(run, agent)["result"]["structuredContent"] == {"result": 1}


def test_of_requests_with_one_id_at_once_the_first_is_served_and_each_is_answered(begin):
    async def agent(http, url):
        headers = await opened(http, url)
        asked = (http.post(url, json=request(5, name="count"), headers=headers) for _ in range(4))
        replies = await asyncio.gather(*asked)
        again = await http.post(url, json=request(5, name="count"), headers=headers)
        return replies, message_of(again)

    with begin({"target": "desk.count", "kind": "latency", "seconds": 5, "every": 1}) as run:
        replies, again = served(run, agent)
        assert run.trace.count("count") == 2
    assert sorted(reply.status_code for reply in replies) == [200, 400, 400, 400]
    assert {message_of(reply)["id"] for reply in replies} == {5}
    assert all(message_of(reply)["error"]["code"] == -32600 for reply in replies if reply.status_code == 400)
    assert again["result"]["structuredContent"] == {"result": 1}, "later it is free"


def test_an_unknown_session_is_status_404(begin):
    async def agent(http, url):
        headers = {**ACCEPT, "mcp-session-id": "f" * 32}
        return (await http.post(url, json=request(5, "tools/list"), headers=headers)).status_code

    with begin() as run:
        assert served(run, agent) == 404


def test_a_socket_can_be_asked_where_it_is():
    with reserve() as sock:
        assert url_of(sock, "/mcp") == f"http://127.0.0.1:{sock.getsockname()[1]}/mcp"
    if socket.has_ipv6:
        with reserve("::1") as sock:
            assert url_of(sock, "/mcp").startswith("http://[::1]:")
