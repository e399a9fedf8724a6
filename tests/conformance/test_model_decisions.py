"""The same seed gives the same faults to the same requests to models, in whatever order and however many at once."""

from __future__ import annotations

import asyncio
import random
from typing import Any

import openai
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squall.runs.environment import Environment

NUMBER = 20
EQUAL = 12  # of more than 16 that wait at once, the first are forgotten
PLAN = {
    "model.chat": {"errors": {"http_503": 0.25, "connection_error": 0.15, "malformed_json": 0.1, "timeout": 0.1}},
}
SEEDS = st.integers(0, 10_000)


def body(number: int) -> dict[str, Any]:
    """One of twenty different requests; odd ones stream."""
    return {
        "model": "gpt-4o",
        "messages": [{"role": "user", "content": f"What is {number} squared?"}],
        "stream": number % 2 == 1,
    }


def answer(request: Any) -> str:
    """The brain."""
    return f"It is {request.body['messages'][-1]['content']}"


def begun(seed: int, run_index: int = 0) -> Environment:
    """A run of that seed."""
    return Environment(faults=PLAN, seed=seed, run_index=run_index)


async def one(client: openai.AsyncOpenAI, number: int) -> None:
    """Ask, with the SDK's own tries, and take whatever comes."""
    try:
        said = await client.chat.completions.create(**body(number))
        if number % 2:
            async with said:
                async for _ in said:
                    pass
    except (openai.APIError, ValueError):
        return


async def at_once(order: list[int]) -> None:
    """All at the same time."""
    async with openai.AsyncOpenAI(timeout=30) as client:
        await asyncio.gather(*(one(client, number) for number in order))


async def at_once_after_one(order: list[int]) -> None:
    """The same once the SDK has found out, in a worker thread, what machine it is on: such threads end in any order."""
    async with openai.AsyncOpenAI(timeout=30) as client:
        await one(client, NUMBER)
        await asyncio.gather(*(one(client, number) for number in order))


async def in_turn(order: list[int]) -> None:
    """One after another."""
    async with openai.AsyncOpenAI(timeout=30) as client:
        for number in order:
            await one(client, number)


def in_sync_code(order: list[int]) -> None:
    """The same without a loop."""
    with openai.OpenAI(timeout=30) as client:
        for number in order:
            try:
                said = client.chat.completions.create(**body(number))
                if number % 2:
                    with said:
                        list(said)
            except (openai.APIError, ValueError):
                continue


def decided(run: Environment) -> dict[str, list[Any]]:
    """What happened to each request: its tries with their faults, and the ids of what came back."""
    found: dict[str, list[Any]] = {}
    for each in run.model.attempts:
        kinds = [one.rule.kind for one in each.happened]
        reply = each.response.get("id") if isinstance(each.response, dict) else None
        found.setdefault(each.request.body["messages"][0]["content"], []).append(
            (each.attempt, kinds, each.status, reply)
        )
    return found


def told(seed: int, how: Any, order: list[int], run_index: int = 0) -> dict[str, list[Any]]:
    """Ask in a run of that seed, and give what happened."""
    with begun(seed, run_index) as run:
        run.model.brain(answer)
        if how is in_sync_code:
            how(order)
        else:
            asyncio.run(how(order))
        return decided(run)


@settings(max_examples=6)
@given(seed=SEEDS, order=st.permutations(range(NUMBER)), run_index=st.integers(0, 3))
def test_neither_order_nor_concurrency_changes_what_happens_to_a_request(seed, order, run_index):
    expected = told(seed, in_turn, list(range(NUMBER)), run_index)
    assert len(expected) == NUMBER
    for how in (at_once, in_sync_code):
        assert told(seed, how, order, run_index) == expected


@pytest.mark.parametrize("seed", range(2))
def test_of_equal_requests_as_many_meet_each_fault_at_once_as_in_turn(seed):
    met = []
    for how in (in_turn, at_once, in_sync_code):
        tries = told(seed, how, [4] * EQUAL)["What is 4 squared?"]
        met.append(sorted(map(str, tries)))
    assert met[0] == met[1] == met[2]


def test_another_seed_and_another_run_are_other_weather():
    weathers = [told(seed, in_sync_code, list(range(NUMBER)), run) for seed, run in ((1, 0), (2, 0), (1, 1))]
    assert weathers[0] != weathers[1]
    assert weathers[0] != weathers[2]
    assert any(len(tries) > 1 for weather in weathers for tries in weather.values()), "some were tried again"


@pytest.mark.parametrize("how", [in_turn, at_once_after_one])
@pytest.mark.parametrize("seed", range(2))
def test_the_trace_is_the_same_to_the_byte(how, seed):
    def trace() -> bytes:
        random.seed(seed)  # of the SDK's backoff
        with Environment(faults=PLAN, seed=seed, name="it") as run:
            run.model.brain(answer)
            asyncio.run(how(list(range(NUMBER))))
        assert run.recorder is not None
        return b"\n".join(run.recorder.lines)

    first = trace()
    assert trace() == first
    assert first.count(b'"kind":"attempt"') > NUMBER


def test_it_is_for_sync_code():
    def trace() -> bytes:
        random.seed(1)
        with Environment(faults=PLAN, seed=1, name="it") as run:
            run.model.brain(answer)
            in_sync_code(list(range(NUMBER)))
        assert run.recorder is not None
        return b"\n".join(run.recorder.lines)

    assert trace() == trace()
