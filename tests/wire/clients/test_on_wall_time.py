"""Clients that virtual time does not cover: real time, said so, never a hang."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import urllib.request
from typing import Any

import openai
import pytest
import requests

from squall.errors import LimitReached
from squall.wire.loopback import in_a_thread
from tests.wire.clients.asked import ANSWER, BODY, SILENT, asks_openai, said_by_openai

DATA = json.dumps(BODY)
HEADERS = {"content-type": "application/json"}
IN_A_THREAD = in_a_thread("model")
AGENT = """
import openai
client = openai.OpenAI()
messages = [{"role": "user", "content": "Is anybody there?"}]
print(client.chat.completions.create(model="gpt-4o", messages=messages).choices[0].message.content)
"""


def with_requests(url):
    return requests.post(url, data=DATA, headers=HEADERS, timeout=30).json()


def with_a_session(url):
    with requests.Session() as session:
        session.post(url, data=DATA, headers=HEADERS, timeout=30)
        return session.post(url, data=DATA, headers=HEADERS, timeout=30).json()


def with_urllib(url):
    request = urllib.request.Request(url, DATA.encode(), HEADERS)  # noqa: S310 - of this test's own server
    with urllib.request.urlopen(request, timeout=30) as response:  # noqa: S310 - as above
        return json.load(response)


def with_curl(url):
    command = ["curl", "-s", "-H", "content-type: application/json", "-d", DATA, url]
    return json.loads(subprocess.run(command, capture_output=True, check=True, timeout=30).stdout)


CLIENTS: dict[str, Any] = {
    "requests": with_requests,
    "a session": with_a_session,
    "urllib": with_urllib,
    "curl": with_curl,
}
CUT = (requests.ConnectionError, requests.exceptions.ChunkedEncodingError, openai.APIConnectionError)
OF_EACH = pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)


def said(body):
    return body["choices"][0]["message"]["content"]


def chat_of(run):
    return f"{run.model.openai_base_url}/chat/completions"


@OF_EACH
def test_sync_code_is_answered_and_the_run_says_in_which_time(begin, client):
    with begin() as run:
        assert said(client(chat_of(run))) == ANSWER
    assert run.result.status == "passed"
    assert run.clock.notes == [IN_A_THREAD]


@OF_EACH
def test_so_it_is_where_it_blocks_the_runs_loop(begin, client):
    async def agent():
        return client(chat_of(run))

    with begin() as run:
        assert said(asyncio.run(agent())) == ANSWER
    assert run.result.status == "passed"
    assert IN_A_THREAD in run.clock.notes


@OF_EACH
def test_so_it_is_in_a_worker_thread_of_the_loop(begin, client):
    with begin() as run:
        assert said(asyncio.run(asyncio.to_thread(client, chat_of(run)))) == ANSWER
    assert run.result.status == "passed"


def test_a_wait_that_nobody_stated_is_cut(begin):
    with begin(SILENT, wall_cap=0.05) as run, pytest.raises(requests.ConnectionError):
        with_requests(chat_of(run))
    assert run.clock.notes == [IN_A_THREAD]


@pytest.mark.parametrize("client", ["requests", "urllib", "curl"])
@pytest.mark.parametrize("params", [{}, {"forever": True}], ids=["timeout", "forever"])
def test_so_it_is_where_the_runs_loop_answers(begin, client, params):
    async def agent():
        return await asyncio.to_thread(CLIENTS[client], chat_of(run))

    with begin({**SILENT, **params}, wall_cap=0.05) as run, pytest.raises(Exception, match=r"(?i)remote|curl"):
        asyncio.run(agent())
    assert run.clock.elapsed() < 20
    assert run.result.status == "passed"


def streamed_by_requests(url):
    with requests.post(url, json={**BODY, "stream": True}, stream=True, timeout=30) as response:
        return response.content


def streamed_by_the_sdk(url):
    with openai.OpenAI(base_url=url.removesuffix("/chat/completions")) as client:
        return list(client.chat.completions.create(model="m", messages=BODY["messages"], stream=True))


@pytest.mark.parametrize("beat", [{}, {"beat": 0.01}], ids=["a beat that nobody stated", "a short beat"])
class TestPingsThatHaveNoEnd:
    """No timeout of a client ends them: each begins its wait anew."""

    @pytest.mark.parametrize("stream", [streamed_by_requests, streamed_by_the_sdk])
    def test_they_end_on_wall_time(self, begin, beat, stream):
        rule = {"target": "model.chat", "kind": "ping_only", "first": 1, **beat}
        with begin(rule, wall_cap=0.05, clock="wall") as run, pytest.raises(CUT):
            stream(chat_of(run))
        [told] = [each.told() for each in run.model.attempts[0].happened]
        assert told["pings"] == (5 if beat else 1)
        assert run.model.attempts[0].injected

    def test_so_they_do_for_a_client_whom_virtual_time_does_not_cover(self, begin, beat):
        rule = {"target": "model.chat", "kind": "ping_only", "first": 1, **beat}
        with begin(rule, wall_cap=0.05) as run, pytest.raises(CUT):
            streamed_by_requests(chat_of(run))
        assert run.clock.notes == [IN_A_THREAD]
        assert run.model.attempts[0].injected

    def test_so_they_do_where_the_runs_loop_answers_it(self, begin, beat):
        rule = {"target": "model.chat", "kind": "ping_only", "first": 1, **beat}

        async def agent():
            await asyncio.to_thread(streamed_by_requests, chat_of(run))

        with begin(rule, wall_cap=0.05) as run, pytest.raises(CUT):
            asyncio.run(agent())
        assert run.model.attempts[0].injected

    def test_in_virtual_time_they_go_on_until_the_runs_limit(self, begin, beat):
        rule = {"target": "model.chat", "kind": "ping_only", "first": 1, "beat": "30s"}
        with pytest.raises(LimitReached), begin(rule, wall_cap=0.05, limits={"seconds": 600}) as run:
            streamed_by_the_sdk(chat_of(run))
        [told] = [each.told() for each in run.model.attempts[0].happened]
        assert told["pings"] in {19, 20}


def test_a_session_that_outlives_a_run_finds_the_next_ones_provider(begin):
    with requests.Session() as session:
        for each in ("one", "two"):
            with begin(brain=lambda _, each=each: each) as run:
                for _ in range(2):
                    answer = session.post(chat_of(run), data=DATA, headers=HEADERS, timeout=30)
                    assert said(answer.json()) == each


def test_another_process_gets_the_provider_by_its_environment(begin):
    with begin() as run:
        done = subprocess.run([sys.executable, "-c", AGENT], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == ANSWER
    assert run.result.status == "passed"
    assert run.clock.notes == [IN_A_THREAD]


def test_another_process_of_the_loop_does_too_and_the_clock_goes_along(begin):
    async def agent():
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", AGENT, stdout=subprocess.PIPE)
        said, _ = await process.communicate()
        return said.decode().strip()

    with begin() as run:
        assert asyncio.run(agent()) == ANSWER
    assert run.result.status == "passed"
    assert any("real time" in note for note in run.clock.notes)


def test_trio_is_answered_in_real_time(begin):
    trio = pytest.importorskip("trio")

    async def agent():
        async with openai.AsyncOpenAI() as client:
            return said_by_openai(await asks_openai(client))

    with begin() as run:
        assert trio.run(agent) == ANSWER
    assert run.result.status == "passed"
    assert run.clock.notes == [IN_A_THREAD]


def test_trio_gets_the_provider_in_the_place_of_the_real_one(begin):
    trio = pytest.importorskip("trio")

    async def agent():
        async with openai.AsyncOpenAI(base_url="https://api.openai.com/v1") as client:
            return said_by_openai(await asks_openai(client))

    with begin() as run:
        assert trio.run(agent) == ANSWER
    assert run.result.status == "passed"


@pytest.mark.parametrize("sdk", [openai.OpenAI, openai.AsyncOpenAI])
def test_a_run_on_wall_time_routes_as_one_on_virtual_time_does(begin, sdk):
    with begin(clock="wall") as run:
        client = sdk(base_url="https://api.openai.com/v1")
        if sdk is openai.OpenAI:
            with client:
                answer = asks_openai(client)
        else:

            async def agent():
                async with client:
                    return await asks_openai(client)

            answer = asyncio.run(agent())
        assert said_by_openai(answer) == ANSWER
    assert run.result.status == "passed"
