from __future__ import annotations

import asyncio
import gc
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import anthropic
import httpx
import httpx2
import openai
import pytest

from squall.wire.clients.threads import NOTE
from tests.wire.clients.asked import (
    ANSWER,
    ANTHROPIC,
    BODY,
    CHAT,
    DOWN,
    MESSAGES,
    OPENAI,
    SILENT,
    asks_anthropic,
    asks_openai,
    said_by_anthropic,
    said_by_openai,
)

URLS = [None, OPENAI]  # from the environment, and the real one said outright
SYNC: dict[str, Any] = {
    "openai": lambda url, **o: openai.OpenAI(api_key="k", base_url=url and f"{url}/v1", **o),
    "anthropic": lambda url, **o: anthropic.Anthropic(api_key="k", base_url=url and ANTHROPIC, **o),
}
ASYNC: dict[str, Any] = {
    "openai": lambda url, **o: openai.AsyncOpenAI(api_key="k", base_url=url and f"{url}/v1", **o),
    "anthropic": lambda url, **o: anthropic.AsyncAnthropic(api_key="k", base_url=url and ANTHROPIC, **o),
}
ASK = {"openai": asks_openai, "anthropic": asks_anthropic}
SAID = {"openai": said_by_openai, "anthropic": said_by_anthropic}
OF_BOTH = pytest.mark.parametrize("sdk", SYNC)


def quiet(run):
    """Whether the run saw nothing but virtual time, and nothing left it."""
    return run.result.status == "passed" and run.clock.notes == []


@OF_BOTH
@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("early", [True, False], ids=["made before the run", "made in it"])
def test_a_sync_client_gets_the_runs_provider(begin, sdk, url, early):
    before = SYNC[sdk](url or OPENAI) if early else None
    with begin() as run, before or SYNC[sdk](url) as client:
        assert SAID[sdk](ASK[sdk](client)) == ANSWER
    assert quiet(run)


@OF_BOTH
@pytest.mark.parametrize("url", URLS)
@pytest.mark.parametrize("early", [True, False], ids=["made before the run", "made in it"])
def test_an_async_client_gets_it_in_the_loop_of_the_run(begin, sdk, url, early):
    before = ASYNC[sdk](url or OPENAI) if early else None

    async def agent():
        async with before or ASYNC[sdk](url) as client:
            return SAID[sdk](await ASK[sdk](client))

    with begin() as run:
        assert asyncio.run(agent()) == ANSWER
    assert quiet(run)


def test_a_sync_client_that_blocks_the_running_loop_gets_it_all_the_same(begin):
    async def agent():
        with openai.OpenAI(timeout=10) as client:
            return said_by_openai(asks_openai(client))

    with begin(SILENT) as run:
        assert asyncio.run(agent()) == ANSWER
    assert [each.attempt for each in run.model.attempts] == [1, 2]
    assert 10 < run.clock.elapsed() < 12
    assert quiet(run)


OWN_CLIENTS: dict[str, Any] = {
    "httpx2": httpx2.Client,
    "httpx2 with HTTP/2": lambda: httpx2.Client(http2=True),
    "httpx2 without HTTP/2": lambda: httpx2.Client(http2=False),
    "httpx2 with a transport": lambda: httpx2.Client(transport=httpx2.HTTPTransport(retries=2)),
    "httpx2 with mounts": lambda: httpx2.Client(mounts={"https://": httpx2.HTTPTransport()}),
    "httpx2 with one connection": lambda: httpx2.Client(limits=httpx2.Limits(max_connections=1)),
    "httpx2 without verification": lambda: httpx2.Client(verify=False),
    "httpx": httpx.Client,
    "httpx with a transport": lambda: httpx.Client(transport=httpx.HTTPTransport(retries=2)),
}


@pytest.mark.parametrize("own", OWN_CLIENTS.values(), ids=OWN_CLIENTS)
@pytest.mark.parametrize("url", URLS)
def test_a_client_of_the_users_own_is_routed_as_the_sdks_is(begin, own, url):
    http = own()
    with begin(DOWN) as run, openai.OpenAI(http_client=http, api_key="k", base_url=url and f"{url}/v1") as client:
        assert said_by_openai(asks_openai(client)) == ANSWER
        assert said_by_openai(asks_openai(client)) == ANSWER
    assert len(run.model.attempts) == 3
    assert quiet(run)


OWN_ASYNC: dict[str, Any] = {
    "httpx2": httpx2.AsyncClient,
    "httpx2 with HTTP/2": lambda: httpx2.AsyncClient(http2=True),
    "httpx2 with a transport": lambda: httpx2.AsyncClient(transport=httpx2.AsyncHTTPTransport(retries=2)),
    "httpx": httpx.AsyncClient,
}


@pytest.mark.parametrize("own", OWN_ASYNC.values(), ids=OWN_ASYNC)
@pytest.mark.parametrize("url", URLS)
def test_so_is_an_async_one(begin, own, url):
    async def agent():
        async with openai.AsyncOpenAI(http_client=own(), api_key="k", base_url=url and f"{url}/v1") as client:
            return [said_by_openai(await asks_openai(client)) for _ in range(2)]

    with begin(DOWN) as run:
        assert asyncio.run(agent()) == [ANSWER, ANSWER]
    assert len(run.model.attempts) == 3
    assert quiet(run)


def test_an_async_client_of_an_sdk_takes_no_wall_time_for_a_deadline(begin):
    async def agent():
        async with openai.AsyncOpenAI(timeout=60, max_retries=0) as client:
            await asks_openai(client)

    with begin({**SILENT, "seconds": 600}) as run, pytest.raises(openai.APITimeoutError):
        asyncio.run(agent())
    assert run.clock.elapsed() == pytest.approx(60, abs=0.1)
    assert run.clock.notes == []


@pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
def test_each_library_sees_its_own_exceptions(begin, library):
    rules = [
        {"target": "model.chat", "kind": kind, "nth": nth} for nth, kind in ((1, "connection_error"), (2, "reset"))
    ]
    with begin(*rules, {"target": "model.chat", "kind": "timeout", "nth": 3}), library.Client(timeout=5) as client:
        with pytest.raises(library.RemoteProtocolError):
            client.post(CHAT, json=BODY)
        with pytest.raises(library.ReadError):
            client.post(CHAT, json=BODY)
        with pytest.raises(library.ReadTimeout):
            client.post(CHAT, json=BODY)
        assert client.post(CHAT, json=BODY).status_code == 200


# threads


def test_a_sync_client_in_a_worker_thread_of_the_loop_is_answered(begin):
    async def agent():
        with openai.OpenAI(base_url=f"{OPENAI}/v1") as client:
            answers = await asyncio.gather(*(asyncio.to_thread(asks_openai, client) for _ in range(8)))
        return {said_by_openai(answer) for answer in answers}

    with begin() as run:
        assert asyncio.run(agent()) == {ANSWER}
    assert len(run.model.requests) == 8
    assert run.result.status == "passed"
    assert NOTE not in run.clock.notes, "nobody has waited for the model"


def test_a_loop_that_blocks_until_a_thread_has_its_answer_does_not_deadlock(begin):
    async def agent():
        with openai.OpenAI() as client, ThreadPoolExecutor() as pool:
            return said_by_openai(pool.submit(asks_openai, client).result())

    with begin() as run:
        assert asyncio.run(agent()) == ANSWER
    assert quiet(run)


@pytest.mark.parametrize("how", ["a pool", "to_thread"])
def test_a_wait_in_a_thread_is_real_and_cut_where_nobody_stated_it_and_the_run_says_so(begin, how):
    def ask(client):
        try:
            return asks_openai(client)
        except openai.APIConnectionError as error:
            return error

    async def agent(client):
        return await asyncio.to_thread(ask, client)

    with begin(SILENT, wall_cap=0.05) as run:
        with openai.OpenAI(max_retries=0) as client, ThreadPoolExecutor() as pool:
            answer = pool.submit(ask, client).result() if how == "a pool" else asyncio.run(agent(client))
        assert isinstance(answer, openai.APIConnectionError)
    assert run.clock.notes == [NOTE]
    assert run.result.notes[: len(run.clock.notes)] == tuple(run.clock.notes)


def test_async_brains_answer_a_client_in_a_thread(begin):
    async def brain(_):
        await asyncio.sleep(0)
        return ANSWER

    with begin(brain=brain), openai.OpenAI() as client, ThreadPoolExecutor() as pool:
        assert said_by_openai(pool.submit(asks_openai, client).result()) == ANSWER


def test_a_loop_of_its_own_in_a_thread_gets_the_provider_while_the_runs_loop_blocks(begin):
    async def inner():
        async with openai.AsyncOpenAI(base_url=f"{OPENAI}/v1") as client:
            return said_by_openai(await asks_openai(client))

    async def agent():
        with ThreadPoolExecutor() as pool:  # as those do who call async code from sync code
            return pool.submit(asyncio.run, inner()).result()

    with begin() as run:
        assert asyncio.run(agent()) == ANSWER
    assert run.clock.notes


# connections that outlive a run


@pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
@pytest.mark.parametrize("where", ["the real host", "the run's address"])
def test_a_sync_client_used_in_two_runs_asks_each_runs_own_provider(begin, library, where):
    with library.Client() as client:
        for said in ("one", "two"):
            with begin(brain=lambda _, said=said: said) as run:
                url = CHAT if where == "the real host" else f"{run.model.openai_base_url}/chat/completions"
                for _ in range(2):
                    answer = client.post(url, json=BODY)
                    assert answer.json()["choices"][0]["message"]["content"] == said
            assert len(run.model.requests) == 2


def test_an_async_client_used_in_two_runs_of_one_loop_asks_each_runs_own_provider(begin):
    async def both():
        async with openai.AsyncOpenAI(base_url=f"{OPENAI}/v1", api_key="k") as client:
            for said in ("one", "two"):
                with begin(brain=lambda _, said=said: said) as run:
                    for _ in range(2):
                        assert said_by_openai(await asks_openai(client)) == said
                assert len(run.model.requests) == 2

    asyncio.run(both())


# They are thrown away whenever the garbage collector comes, which may be in the middle of the test.
LEFT_OPEN = pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning")


@contextmanager
def left_to_its_loops():
    """A client that nobody closes, whose connections outlive their loops; they are thrown away here without a word."""
    yield openai.AsyncOpenAI(base_url=f"{OPENAI}/v1", api_key="k")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        gc.collect()


@LEFT_OPEN
def test_an_async_client_used_in_two_runs_each_with_a_loop_of_its_own_asks_each_runs_own_provider(begin):
    with left_to_its_loops() as client:
        for said in ("one", "two", "three"):
            with begin(brain=lambda _, said=said: said) as run:
                assert said_by_openai(asyncio.run(asks_openai(client))) == said
            assert len(run.model.requests) == 1
        del client


@LEFT_OPEN
def test_one_that_takes_a_connection_to_another_loop_of_the_same_run_fails_as_it_would_anywhere(begin):
    with left_to_its_loops() as client, begin():
        asyncio.run(asks_openai(client))
        with pytest.raises(RuntimeError, match="Event loop is closed"):
            asyncio.run(asks_openai(client))
        del client


def test_in_a_run_inside_a_run_the_inner_one_answers_and_the_outer_one_again_afterwards(begin):
    said = []
    with openai.OpenAI(base_url=f"{OPENAI}/v1", api_key="k") as client, begin(brain=lambda _: "outer") as outer:
        said.append(said_by_openai(asks_openai(client)))
        with begin(brain=lambda _: "inner") as inner:
            said.append(said_by_openai(asks_openai(client)))
        said.append(said_by_openai(asks_openai(client)))
    assert said == ["outer", "inner", "outer"]
    assert (len(outer.model.requests), len(inner.model.requests)) == (2, 1)


def test_a_stream_that_is_left_open_at_the_end_of_a_run_breaks_nothing(begin):
    with openai.OpenAI(base_url=f"{OPENAI}/v1", api_key="k") as client:
        with begin({"target": "model.chat", "kind": "slow_chunks", "first": 1}) as run:
            stream = client.chat.completions.create(model="m", messages=MESSAGES, stream=True)
            next(iter(stream))
        assert run.result.status == "passed"
        stream.close()
