"""Calls of the official SDKs, as their users write them, recorded from both sides at once."""

from __future__ import annotations

import pytest

from squall.models import say

QUESTION = [{"role": "user", "content": "Pay Bob."}]
CALM = ["model_call", "attempt", "attempt_end", "model_reply"]


def test_a_call_is_recorded_once_though_both_sides_see_it(openai, model, seen):
    model.script(say("Paid."))
    completion = openai.OpenAI().chat.completions.create(model="m", messages=QUESTION, temperature=0.5)
    assert type(completion).__name__ == "ChatCompletion"
    assert seen.kinds == CALM
    call, attempt, end, reply = seen.of(*CALM)
    assert (call.target, call.model, call.stream, call.messages) == ("model.chat", "m", False, QUESTION)
    assert call.asked["temperature"] == 0.5
    assert attempt.digest
    assert (end.status, end.retry_after, end.error) == (200, None, None)
    assert (reply.ok, reply.status, reply.text, reply.finish, reply.complete) == (True, 200, "Paid.", "stop", True)
    assert reply.response["choices"][0]["message"]["content"] == "Paid."
    assert {event.call for event in (call, attempt, end, reply)} == {1}


@pytest.mark.asyncio
async def test_an_async_client_is_met_over_a_socket(openai, model, seen):
    model.script(say("Paid."))
    async with openai.AsyncOpenAI() as client:
        await client.chat.completions.create(model="m", messages=QUESTION)
    assert seen.kinds == CALM
    assert seen.one("attempt").digest
    assert seen.one("model_reply").text == "Paid."
