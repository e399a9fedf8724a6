from __future__ import annotations

import asyncio
from contextlib import suppress

import aiohttp
import aiohttp.web
import pytest

from squall.wire.clients.hosts import Leak
from tests.wire.clients.asked import ANSWER, BODY, CHAT, DOWN, OPENAI, SILENT


async def said(session, url=CHAT, **options):
    async with session.post(url, json=BODY, **options) as response:
        body = await response.json()
        return body["choices"][0]["message"]["content"] if response.status == 200 else response.status


@pytest.mark.parametrize(
    ("base", "url"),
    [
        (None, CHAT),
        (OPENAI, "/v1/chat/completions"),
        (f"{OPENAI}/v1/", "chat/completions"),
        (None, f"{CHAT}?x=a%20b%2Fc"),
        (None, CHAT.replace("api.openai.com", "API.OPENAI.COM:443")),
    ],
)
def test_a_request_to_the_real_host_goes_to_the_runs_provider_on_virtual_time(begin, base, url):
    async def agent():
        async with aiohttp.ClientSession(base) as session:
            return [await said(session, url) for _ in range(2)]

    with begin(DOWN) as run:
        assert asyncio.run(agent()) == [503, ANSWER]
    assert run.result.status == "passed"
    assert run.clock.notes == []


def test_a_session_from_before_the_run_is_routed_in_it_and_not_afterwards(begin):
    async def agent():
        async with aiohttp.ClientSession() as session:
            for each in ("one", "two"):
                with begin(brain=lambda _, each=each: each) as run:
                    assert [await said(session) for _ in range(2)] == [each, each]
                assert len(run.model.requests) == 2
            return aiohttp.ClientSession._request

    assert asyncio.run(agent()).__module__ == "aiohttp.client"


def test_its_own_deadline_takes_no_wall_time(begin):
    async def agent():
        async with aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60)) as session:
            await said(session)

    with begin({**SILENT, "seconds": 600}) as run, pytest.raises(TimeoutError):
        asyncio.run(agent())
    assert run.clock.elapsed() == pytest.approx(60, abs=1.1)  # aiohttp rounds long deadlines up to whole seconds


def test_a_proxy_is_gone_round(begin, monkeypatch):
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"):
        monkeypatch.setenv(name, "http://proxy.example:3128")

    async def agent():
        async with aiohttp.ClientSession(trust_env=True) as session:
            return [await said(session), await said(session, proxy="http://proxy.example:3128")]

    with begin() as run:
        assert asyncio.run(agent()) == [ANSWER, ANSWER]
    assert run.result.status == "passed"


def test_a_websocket_of_this_machine_is_left_alone(begin):
    async def echo(request):
        socket = aiohttp.web.WebSocketResponse()
        await socket.prepare(request)
        async for message in socket:
            await socket.send_str(message.data)
        return socket

    async def agent():
        app = aiohttp.web.Application()
        app.router.add_get("/", echo)
        runner = aiohttp.web.AppRunner(app)
        await runner.setup()
        site = aiohttp.web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        async with (
            aiohttp.ClientSession() as session,
            session.ws_connect(f"ws://127.0.0.1:{runner.addresses[0][1]}/") as socket,
        ):
            await socket.send_str("hello")
            heard = await socket.receive_str()
        await runner.cleanup()
        return heard

    with begin() as run:
        assert asyncio.run(agent()) == "hello"
    assert run.result.status == "passed"


def test_a_session_over_a_unix_socket_is_left_alone_whatever_its_host_is_called(begin, tmp_path):
    async def version(_):
        return aiohttp.web.Response(text="27")

    async def agent():
        app = aiohttp.web.Application()
        app.router.add_get("/version", version)
        runner = aiohttp.web.AppRunner(app)
        await runner.setup()
        await aiohttp.web.UnixSite(runner, str(tmp_path / "s")).start()
        async with (
            aiohttp.ClientSession(connector=aiohttp.UnixConnector(str(tmp_path / "s"))) as session,
            session.get("http://docker/version") as response,
        ):
            text = await response.text()
        await runner.cleanup()
        return text

    with begin() as run:
        assert asyncio.run(agent()) == "27"
    assert run.result.status == "passed"


@pytest.mark.parametrize("url", ["http://", "no-url", 7])
def test_what_is_no_url_is_refused_by_aiohttp_itself(begin, url):
    async def agent():
        async with aiohttp.ClientSession() as session, session.get(url):
            pass

    with begin() as run, pytest.raises((aiohttp.InvalidURL, TypeError)):
        asyncio.run(agent())
    assert run.result.status == "passed"


def test_a_connection_that_is_open_from_before_lets_nothing_out(begin, monkeypatch):
    served = []

    async def answer(request):
        served.append(request.path)
        return aiohttp.web.Response()

    class Resolver(aiohttp.abc.AbstractResolver):
        async def resolve(self, host, port=0, family=0):
            return [{"hostname": host, "host": "127.0.0.1", "port": port, "family": 2, "proto": 0, "flags": 0}]

        async def close(self):
            pass

    async def agent():
        app = aiohttp.web.Application()
        app.router.add_get("/{path}", answer)
        runner = aiohttp.web.AppRunner(app)
        await runner.setup()
        await aiohttp.web.TCPSite(runner, "127.0.0.1", 0).start()
        url = f"http://llm.example:{runner.addresses[0][1]}"
        connector = aiohttp.TCPConnector(resolver=Resolver())
        async with aiohttp.ClientSession(connector=connector) as session:
            async with session.get(f"{url}/before"):
                pass
            with begin() as run:
                with suppress(Leak):
                    async with session.get(f"{url}/in"):
                        pass
                run.finish()
        await runner.cleanup()
        return run.result.errors

    assert [type(each) for each in asyncio.run(agent())] == [Leak]
    assert served == ["/before"]
