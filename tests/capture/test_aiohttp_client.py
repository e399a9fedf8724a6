from __future__ import annotations

import asyncio

import aiohttp
import pytest

from squall.capture.calling import CALLING, ModelCalling
from squall.capture.current import current
from squall.models import say

QUESTION = [{"role": "user", "content": "Pay Bob."}]
DOWN = {"model.chat": [{"kind": "http_503", "first": 1, "retry_after": "2s"}]}


@pytest.mark.asyncio
async def test_what_litellm_sends_with_it_is_an_attempt_of_one_call(litellm, model, seen):
    model.script(say("Paid."))
    url = f"{model.openai_base_url}/chat/completions"
    given = await litellm.acompletion("aiohttp_openai/m", messages=QUESTION, api_base=url, api_key="k")
    assert given.choices[0].message.content == "Paid."
    asked, reply = seen.one("model_call"), seen.one("model_reply")
    assert [(event.call, event.status) for event in seen.of("attempt_end")] == [(asked.call, 200)]
    assert (reply.text, reply.complete, len(seen.of("attempt"))) == ("Paid.", True, len(model.attempts))


def capturing():
    capture = current()
    assert capture is not None
    return capture


async def _send(call, url, **body):
    token = CALLING.set(call)
    try:
        async with aiohttp.ClientSession() as session, session.post(url, **body) as response:
            return response.status
    finally:
        CALLING.reset(token)


@pytest.mark.asyncio
async def test_each_try_says_its_status_and_what_it_was_told_to_wait(model, seen):
    model.script(say("Paid."))
    model.faults(DOWN)
    body = {"model": "m", "messages": QUESTION}
    call = ModelCalling(capturing(), "model.chat", body)
    url = f"{model.openai_base_url}/chat/completions"
    assert [await _send(call, url, json=body) for _ in range(2)] == [503, 200]
    assert [(end.attempt, end.status, end.retry_after) for end in seen.of("attempt_end")] == [
        (1, 503, 2.0),
        (2, 200, None),
    ]
    assert len(seen.of("model_call")) == 1
    assert call.sending == 0


@pytest.mark.asyncio
async def test_a_connection_that_fails_is_an_attempt_too(model, seen):
    call = ModelCalling(capturing(), "model.chat", {"model": "m", "messages": QUESTION})
    with pytest.raises(aiohttp.ClientConnectionError):
        await _send(call, "http://127.0.0.1:1/v1/chat/completions", data=b"{}")
    assert seen.one("attempt_end").error.startswith("ClientConnectorError: ")


def test_a_request_for_no_call_of_a_model_is_none_of_ours(model, seen):
    model.script(say("Paid."))
    body = {"model": "m", "messages": QUESTION}
    url = f"{model.openai_base_url}/chat/completions"
    assert asyncio.run(_send(None, url, json=body)) == 200
    assert seen.of("attempt_end") == []
