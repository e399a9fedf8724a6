from __future__ import annotations

import asyncio
import re
import socket
import threading
import urllib.request
from contextlib import suppress
from typing import Any

import aiohttp
import httpx
import httpx2
import openai
import pytest
import requests

from squall.wire.clients.guard import BY_ADDRESS, BY_NAME
from squall.wire.clients.hosts import Leak
from tests.wire.clients.asked import ANSWER, asks_openai, said_by_openai

OUTSIDE = "llm.example"
URL = f"http://{OUTSIDE}/v1"
ADDRESS, V6 = "192.0.2.7", "2001:db8::7"  # for documentation, nobody's


async def with_httpx2():
    async with httpx2.AsyncClient() as client:
        await client.get(URL)


async def with_httpx():
    async with httpx.AsyncClient() as client:
        await client.get(URL)


async def with_aiohttp():
    async with aiohttp.ClientSession() as session, session.get(URL):
        pass


async def with_aiohttp_websocket():
    async with aiohttp.ClientSession() as session, session.ws_connect(f"ws://{OUTSIDE}/"):
        pass


async def with_a_connection_of_the_loop():
    await asyncio.get_running_loop().create_connection(asyncio.Protocol, OUTSIDE, 443)


async def with_openai():
    async with openai.AsyncOpenAI(base_url=URL) as client:
        await asks_openai(client)


def in_sync_openai():
    with openai.OpenAI(base_url=URL) as client:
        asks_openai(client)


def with_a_socket(family=socket.AF_INET, kind=socket.SOCK_STREAM, how="connect", to: Any = (OUTSIDE, 443)):
    with socket.socket(family, kind) as sock:
        sock.settimeout(1)
        if how == "sendto":
            sock.sendto(b"x", to)
        else:
            getattr(sock, how)(to)


REQUESTS: dict[str, Any] = {
    "httpx2": lambda: httpx2.get(URL),
    "httpx2, async": lambda: asyncio.run(with_httpx2()),
    "httpx": lambda: httpx.get(URL),
    "httpx, async": lambda: asyncio.run(with_httpx()),
    "openai": in_sync_openai,
    "openai, async": lambda: asyncio.run(with_openai()),
    "aiohttp": lambda: asyncio.run(with_aiohttp()),
    "aiohttp, websocket": lambda: asyncio.run(with_aiohttp_websocket()),
    "requests": lambda: requests.get(URL, timeout=5),
    "urllib": lambda: urllib.request.urlopen(URL, timeout=5),
    "create_connection": lambda: socket.create_connection((OUTSIDE, 443), timeout=5),
    "loop.create_connection": lambda: asyncio.run(with_a_connection_of_the_loop()),
    "open_connection": lambda: asyncio.run(asyncio.open_connection(OUTSIDE, 443)),
    "connect": with_a_socket,
    "connect_ex": lambda: with_a_socket(how="connect_ex"),
    "sendto": lambda: with_a_socket(kind=socket.SOCK_DGRAM, how="sendto"),
    "gethostbyname": lambda: socket.gethostbyname(OUTSIDE),
    "gethostbyname_ex": lambda: socket.gethostbyname_ex(OUTSIDE),
}


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    """Nothing leaves, whatever the guard does: what would is told here."""
    left: list[Any] = []

    def no(*args, **_):
        left.append(args[-1] if isinstance(args[0], socket.socket) else args[0])
        raise ConnectionRefusedError("there is no network in this test")

    connect = socket.socket.connect

    def connect_here(self, address):
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in (
            "127.0.0.1",
            "::1",
            "::ffff:127.0.0.1",
        ):
            no(self, address)
        connect(self, address)

    resolve = socket.getaddrinfo

    def resolve_here(host, port=None, *args, **options):
        if host in (OUTSIDE, OUTSIDE.encode()):
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (ADDRESS, port))]
        return resolve(host, port, *args, **options)

    monkeypatch.setattr(socket.socket, "connect", connect_here, raising=False)
    monkeypatch.setattr(socket, "getaddrinfo", resolve_here)
    return left


def only_leak(run):
    (leak,) = run.result.errors
    assert isinstance(leak, Leak)
    assert run.result.status == "failed"
    return str(leak)


@pytest.mark.parametrize("request_", REQUESTS.values(), ids=REQUESTS)
def test_a_request_outside_is_stopped_and_fails_the_run_though_the_agent_swallows_it(begin, offline, request_):
    with begin() as run:
        for _ in range(2):
            with suppress(Exception):
                request_()
                pytest.fail("it was not stopped")
    said, advice = only_leak(run).split("\n    ")
    assert said == f"a request to {OUTSIDE} was stopped: nothing may leave while model is in charge"
    assert advice.endswith(f'If that is meant: model.allow("{OUTSIDE}").')
    assert offline == []


@pytest.mark.parametrize("how", ["httpx2", "requests", "urllib", "connect", "open_connection"])
def test_so_it_is_in_a_thread(begin, offline, how):
    def agent():
        with suppress(Exception):
            REQUESTS[how]()

    with begin() as run:
        thread = threading.Thread(target=agent)
        thread.start()
        thread.join()
    assert OUTSIDE in only_leak(run)
    assert offline == []


@pytest.mark.parametrize(("family", "address"), [(socket.AF_INET, ADDRESS), (socket.AF_INET6, V6)])
@pytest.mark.parametrize("how", ["connect", "connect_ex"])
def test_an_address_is_told_as_it_is(begin, offline, family, address, how):
    with begin() as run, pytest.raises(Leak, match=f"a request to {address}"):
        with_a_socket(family, how=how, to=(address, 443))
    assert address in only_leak(run)
    assert offline == []


def test_the_line_that_asked_is_named_however_deep_in_libraries_it_was_stopped(begin):
    for how in ("httpx2", "requests", "aiohttp", "connect"):
        with begin() as run, suppress(Exception):
            REQUESTS[how]()
        assert re.search(r"\n    It came from test_guard\.py:\d+ in (\w+|<lambda>)\. ", only_leak(run))


def test_each_host_is_told_once(begin):
    with begin() as run:
        for host in (OUTSIDE, "other.example", OUTSIDE.upper(), f"{OUTSIDE}."):
            with pytest.raises(Leak):
                socket.getaddrinfo(host, 443)
    assert [str(each).split()[3] for each in run.result.errors] == [OUTSIDE, "other.example"]


@pytest.mark.parametrize("given", [OUTSIDE, OUTSIDE.upper(), f"{OUTSIDE}:443", f"https://{OUTSIDE}/v1"])
@pytest.mark.parametrize("how", ["httpx2", "httpx2, async", "requests", "urllib", "create_connection", "aiohttp"])
def test_an_allowed_host_is_let_out_and_no_other(begin, offline, given, how):
    with begin() as run:
        run.model.allow(given)
        with suppress(Exception):
            REQUESTS[how]()
        assert {each[0] for each in offline} == {ADDRESS}
        with pytest.raises(Leak, match=r"other\.example"):
            socket.getaddrinfo("other.example", 443)
    assert "other.example" in only_leak(run)


def test_a_real_provider_that_is_allowed_is_asked_itself(begin, offline):
    with begin() as run, openai.OpenAI(base_url=f"http://{ADDRESS}/v1", max_retries=0) as client:
        run.model.allow(ADDRESS)
        with pytest.raises(openai.APIConnectionError):
            asks_openai(client)
    assert [each[0] for each in offline] == [ADDRESS]
    assert run.model.requests == []


def test_a_client_that_nobody_routes_is_told_the_address(begin):
    with begin() as run, pytest.raises(requests.ConnectionError):
        requests.get("https://api.openai.com/v1/models", timeout=5)
    assert "give it model.openai_base_url or anthropic_base_url" in only_leak(run)


@pytest.fixture
def listening(tmp_path):
    """Listening sockets of this machine, by family."""
    made = [socket.socket(family) for family in (socket.AF_INET, socket.AF_INET6, socket.AF_UNIX)]
    made[0].bind(("127.0.0.1", 0))
    made[1].bind(("::1", 0))
    made[2].bind(str(tmp_path / "s"))
    for sock in made:
        sock.listen()
    yield made
    for sock in made:
        sock.close()


def test_this_machine_is_reached_as_ever(begin, listening):
    v4, v6, unix = listening
    port4, port6 = v4.getsockname()[1], v6.getsockname()[1]

    async def loop():
        _, writer = await asyncio.open_connection("localhost", port4)
        writer.close()
        await writer.wait_closed()

    with begin() as run:
        for address in (("127.0.0.1", port4), ("localhost", port4), ("LocalHost", port4), ("::1", port6)):
            socket.create_connection(address).close()
        with_a_socket(socket.AF_INET6, to=("::ffff:127.0.0.1", port4))
        with_a_socket(socket.AF_UNIX, to=unix.getsockname())
        with_a_socket(kind=socket.SOCK_DGRAM, how="sendto", to=("127.0.0.1", 9))
        asyncio.run(loop())
        assert socket.gethostbyname("localhost") == "127.0.0.1"
    assert run.result.status == "passed"


def test_httpx_over_a_unix_socket_is_left_alone(begin, tmp_path):
    path = str(tmp_path / "s")
    asked: list[bytes] = []

    def serve(sock):
        connection, _ = sock.accept()
        with connection:
            asked.append(connection.recv(65536))
            connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")

    with socket.socket(socket.AF_UNIX) as sock, begin() as run:
        sock.bind(path)
        sock.listen()
        thread = threading.Thread(target=serve, args=(sock,))
        thread.start()
        with httpx2.Client(transport=httpx2.HTTPTransport(uds=path)) as client:
            assert client.get("http://docker/version").status_code == 204
        thread.join()
    assert run.result.status == "passed"
    assert len(asked) == 1


def attributes():
    return [vars(socket).get(name) for name in BY_NAME] + [vars(socket.socket).get(name) for name in BY_ADDRESS]


def test_afterwards_everything_is_as_before_though_the_agent_failed(begin):
    before = attributes()
    with pytest.raises(ZeroDivisionError), begin():
        assert attributes() != before
        raise ZeroDivisionError
    assert attributes() == before
    assert all(each is other for each, other in zip(attributes(), before, strict=True))
    with pytest.raises(ConnectionRefusedError, match="no network"):
        socket.create_connection((OUTSIDE, 443))


def test_in_a_run_inside_a_run_both_must_allow_a_host(begin, offline):
    with begin() as outer:
        with begin() as inner:
            inner.model.allow(OUTSIDE)
            with pytest.raises(Leak):
                socket.getaddrinfo(OUTSIDE, 443)
        assert inner.result.status == "passed"
        with pytest.raises(Leak):
            socket.getaddrinfo("other.example", 443)
    assert len(outer.result.errors) == 2
    assert offline == []


def test_a_stopped_request_spares_what_comes_after_it(begin):
    with begin() as run:
        with pytest.raises(Leak):
            in_sync_openai()
        with openai.OpenAI() as client:
            assert said_by_openai(asks_openai(client)) == ANSWER
    assert OUTSIDE in only_leak(run)
