"""A proxy of the machine, which runs on the machine itself as many do, lets nothing out unseen."""

from __future__ import annotations

import asyncio
import http.server
import os
import subprocess
import sys
import threading
import urllib.request
from typing import Any

import aiohttp
import httpx
import httpx2
import openai
import pytest
import requests

from squall.wire.clients.environment import UNPROXIED
from squall.wire.clients.hosts import Leak
from squall.wire.clients.proxies import VARIABLES, of_the_machine
from tests.wire.clients.asked import ANSWER, asks_openai, said_by_openai

ELSEWHERE = "http://example.com/asked"
OUTSIDE = (Leak, OSError, httpx.TransportError, httpx2.TransportError, requests.RequestException)


class Proxy(http.server.BaseHTTPRequestHandler):
    """Says hello in the name of any host."""

    protocol_version = "HTTP/1.1"
    asked: list[str]

    def do_GET(self) -> None:
        """What was asked for, with its host."""
        self.asked.append(self.path)
        self.send_response(200)
        self.send_header("content-length", "5")
        self.end_headers()
        self.wfile.write(b"hello")

    do_CONNECT = do_POST = do_GET  # noqa: N815 - as http.server wants it

    def log_message(self, *_: Any) -> None:
        """Nothing."""


@pytest.fixture
def proxy(monkeypatch):
    """What a proxy on this machine was asked, which all variables name."""
    asked: list[str] = []
    handler = type("Handler", (Proxy,), {"asked": asked})
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        for name in VARIABLES:
            monkeypatch.setenv(name, f"http://127.0.0.1:{server.server_port}")
        for name in UNPROXIED:
            monkeypatch.delenv(name, raising=False)
        yield asked
        server.shutdown()
        thread.join()


async def by_aiohttp(url):
    async with aiohttp.ClientSession(trust_env=True) as session, session.get(url) as response:
        return await response.text()


NEW: dict[str, Any] = {
    "httpx": lambda: httpx.get(ELSEWHERE),
    "httpx2": lambda: httpx2.get(ELSEWHERE),
    "requests": lambda: requests.get(ELSEWHERE, timeout=30),
    "urllib": lambda: urllib.request.urlopen(ELSEWHERE, timeout=30),
    "aiohttp": lambda: asyncio.run(by_aiohttp(ELSEWHERE)),
}


@pytest.fixture
def stopped(begin):
    """What the run is told of a request that is stopped."""

    def make(ask, *allowed):
        with pytest.raises(Leak) as told, begin() as run:
            if allowed:
                run.model.allow(*allowed)
            with pytest.raises(OUTSIDE):
                ask()
            raise run.model.failures[0]
        return str(told.value)

    return make


@pytest.mark.parametrize("ask", NEW.values(), ids=NEW)
def test_a_request_through_it_is_stopped_and_told_by_its_own_host(stopped, proxy, ask):
    assert "a request to example.com was stopped" in stopped(ask)
    assert proxy == []


@pytest.mark.parametrize("library", [httpx, httpx2])
@pytest.mark.parametrize("warm", [False, True], ids=["a new connection", "one that is open from before"])
def test_a_client_from_before_the_run_goes_round_it_in_the_run_alone(stopped, proxy, library, warm):
    with library.Client() as client:
        if warm:
            assert client.get(ELSEWHERE).text == "hello"
        before = list(proxy)
        assert "a request to example.com was stopped" in stopped(lambda: client.get(ELSEWHERE))
        assert proxy == before
        assert client.get(ELSEWHERE).text == "hello"


def test_an_async_client_from_before_the_run_goes_round_it(stopped, proxy):
    client = httpx2.AsyncClient()

    async def agent():
        async with client:
            await client.get(ELSEWHERE)

    assert "a request to example.com was stopped" in stopped(lambda: asyncio.run(agent()))
    assert proxy == []


@pytest.mark.parametrize("sdk", [openai.OpenAI, openai.AsyncOpenAI])
def test_an_sdks_client_from_before_the_run_gets_the_runs_provider(begin, proxy, sdk):
    client = sdk(base_url="https://api.openai.com/v1", api_key="sk-real")

    async def agent():
        async with client:
            return await asks_openai(client)

    with begin() as run:
        answer = asks_openai(client) if sdk is openai.OpenAI else asyncio.run(agent())
    assert said_by_openai(answer) == ANSWER
    assert run.result.status == "passed"
    assert proxy == []


def test_whoever_names_it_is_stopped_at_it_unless_some_host_was_allowed(begin, stopped, proxy):
    where = os.environ["HTTP_PROXY"]

    def ask():
        return requests.get(ELSEWHERE, proxies={"http": where}, timeout=30)

    told = stopped(ask)
    assert f"a request to {where.removeprefix('http://')} was stopped" in told
    assert "It is a proxy of this machine, behind which a request goes anywhere" in told
    assert proxy == []
    with begin() as run:
        run.model.allow("example.com")
        assert ask().text == "hello"


@pytest.mark.parametrize("library", [httpx, httpx2])
def test_a_host_that_was_allowed_is_reached_through_it_by_clients_old_and_new(begin, stopped, proxy, library):
    with library.Client() as old:
        with begin() as run:
            run.model.allow("example.com")
            with library.Client() as new:
                assert [client.get(ELSEWHERE).text for client in (old, new)] == ["hello", "hello"]
        assert proxy == [ELSEWHERE, ELSEWHERE]
        assert "a request to example.org was stopped" in stopped(lambda: old.get("http://example.org/"), "example.com")
    assert proxy == [ELSEWHERE, ELSEWHERE]


@pytest.mark.parametrize("library", [httpx, httpx2])
def test_what_runs_on_this_machine_is_reached_without_it(begin, proxy, library):
    with library.Client() as old, begin() as run, library.Client() as new:
        health = f"{run.model.anthropic_base_url}/_mock/health"
        assert [client.get(health).json() for client in (old, new)] == [{"status": "ok"}] * 2
    assert proxy == []


def test_other_processes_are_told_of_it_as_ever(begin, proxy):
    code = "import urllib.request; print(sorted(urllib.request.getproxies()))"
    with begin():
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "['all', 'http', 'https', 'no']"


def test_the_machines_proxies_are_known_by_host_and_port(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    assert of_the_machine() == set()
    monkeypatch.setenv("HTTPS_PROXY", "http://user:secret@127.0.0.1:7890/")
    monkeypatch.setenv("http_proxy", "proxy.example:3128")
    monkeypatch.setenv("ALL_PROXY", "socks5://[::1]:1080")
    monkeypatch.setenv("all_proxy", "http://proxy.example")
    monkeypatch.setenv("HTTP_PROXY", "http://[wrong")
    assert of_the_machine() == {("127.0.0.1", 7890), ("proxy.example", 3128), ("::1", 1080), ("proxy.example", 80)}
