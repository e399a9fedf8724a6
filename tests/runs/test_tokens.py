"""The tokens of a run's model: counted whatever its replies tell, and limited where that is said."""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any

import openai
import pytest

from squall.errors import LimitReached
from squall.models import say
from squall.runs.environment import Environment
from squall.trace.kinds import ModelReply, RunStart

HI: list[Any] = [{"role": "user", "content": "hi"}]


async def ask(*, stream=False):
    async with openai.AsyncOpenAI(max_retries=0) as client:
        answer = await client.chat.completions.create(model="m", messages=HI, stream=stream)
        return [chunk async for chunk in answer] if stream else answer


def many(times, **options):
    async def go():
        for _ in range(times):
            await ask(**options)

    asyncio.run(go())


def test_a_stream_that_tells_no_usage_is_counted_all_the_same():
    with Environment() as run:
        run.model.script(say("hello there"), say("hello there"))
        many(1)
        once = dict(run.model.tokens)
        many(1, stream=True)
        assert run.model.tokens == {name: 2 * number for name, number in once.items()}
    assert once["input"] > 0
    assert once["output"] > 0


def test_embeddings_use_tokens_too():
    async def embed():
        async with openai.AsyncOpenAI() as client:
            return await client.embeddings.create(model="e", input=["a few words"])

    with Environment() as run:
        assert run.model.tokens == {}
        answer = asyncio.run(embed())
        assert run.model.tokens == {"input": answer.usage.prompt_tokens, "output": 0}


@pytest.mark.parametrize("stream", [False, True])
def test_a_run_ends_with_the_reply_that_uses_too_many_tokens(stream):
    with Environment(limits={"tokens": 30}) as run:
        run.model.script(*[say("six words are in this text")] * 9)
        each = 0
        with pytest.raises(LimitReached, match="the run used more than 30 tokens of models"):
            while True:
                many(1, stream=stream)
                each = each or run.model.tokens.total()  # type: ignore[attr-defined]  # it is a counter
        result = run.finish()
    assert result.status == "hung"
    replies = [event for _, event in run.trace if isinstance(event, ModelReply)]
    assert len(run.model.attempts) == 30 // each + 1
    assert not run.model.attempts[-1].complete  # the last of them was never sent
    assert [reply.ok for reply in replies[:-1]] == [True] * (len(replies) - 1)
    start = next(event for _, event in run.trace if isinstance(event, RunStart))
    assert start.limits["tokens"] == 30


def test_a_run_that_stays_within_its_tokens_ends_by_itself():
    with Environment(limits={"tokens": 1000}) as run:
        run.model.script(say("hello"))
        many(1)
    assert run.finish().status == "passed"


def test_an_agent_that_swallows_everything_has_hung_all_the_same():
    run = Environment(limits={"tokens": 1})
    run.__enter__()
    run.model.script(say("hello"))
    with contextlib.suppress(BaseException):  # as agents do
        many(1)
    assert run.finish().status == "hung"
    run.close()
