"""Streams, as the agent reads them: to their end, in part, or as far as the connection goes."""

from __future__ import annotations

import asyncio
import gc

import pytest

from squall.models import call, say

QUESTION = [{"role": "user", "content": "Pay Bob."}]
TEXT = "one two three four five six"
TOOLS = [{"type": "function", "function": {"name": "pay", "parameters": {"type": "object"}}}]


def ask(openai, **options):
    return openai.OpenAI(max_retries=0).chat.completions.create(model="m", messages=QUESTION, stream=True, **options)


def test_a_stream_is_the_sdks_own_and_recorded_when_it_has_been_read(openai, model, seen):
    model.script(say(TEXT))
    stream = ask(openai, stream_options={"include_usage": True})
    assert type(stream) is openai.Stream
    assert seen.of("model_reply") == []
    assert "".join(c.choices[0].delta.content or "" for c in stream if c.choices) == TEXT
    reply = seen.one("model_reply")
    assert seen.one("model_call").stream
    assert (reply.ok, reply.text, reply.finish, reply.complete, reply.disconnected) == (True, TEXT, "stop", True, False)
    assert reply.usage["output"] > 0


def test_calls_come_together_from_their_pieces(openai, model, seen):
    model.script(call("pay", to="Bob", amount=500))
    for _ in ask(openai, tools=TOOLS):
        pass
    reply = seen.one("model_reply")
    assert reply.finish == "tool_calls"
    assert [(each["name"], each["arguments"]) for each in reply.calls] == [("pay", '{"to":"Bob","amount":500}')]
    assert reply.calls[0]["id"].startswith("call_")


@pytest.mark.asyncio
async def test_async_streams_too(openai, model, seen):
    model.script(say(TEXT))
    async with openai.AsyncOpenAI() as client:
        stream = await client.chat.completions.create(model="m", messages=QUESTION, stream=True)
        assert type(stream) is openai.AsyncStream
        async for _ in stream:
            pass
    reply = seen.one("model_reply")
    assert (reply.ok, reply.text, reply.complete) == (True, TEXT, True)


@pytest.mark.parametrize("leave", ["close", "context", "garbage"])
def test_a_stream_that_is_left_early_says_so(openai, model, seen, leave):
    model.script(say(TEXT))
    stream = ask(openai)
    for chunk in stream:
        if chunk.choices[0].delta.content:
            break
    if leave == "close":
        stream.close()
    elif leave == "context":
        with stream:
            pass
    else:
        del stream
        gc.collect()
    reply = seen.one("model_reply")
    assert (reply.ok, reply.complete, reply.disconnected, reply.error) == (False, False, True, None)
    assert reply.text is not None
    assert TEXT.startswith(reply.text)


def test_a_stream_that_nobody_reads_on_is_told_when_the_run_ends(openai, model, seen):
    model.script(say(TEXT))
    stream = ask(openai)
    next(stream)
    assert seen.of("model_reply") == []
    model._run.finish()
    reply = seen.one("model_reply")
    assert (reply.complete, reply.disconnected) == (False, True)
    assert seen.kinds[-1] == "run_end"
    stream.close()
    assert seen.kinds[-1] == "run_end"


def test_a_stream_that_is_cut_says_so(openai, model, seen):
    model.script(say(TEXT))
    model.faults({"model.chat": [{"kind": "stream_disconnect", "after": 3, "first": 1}]})
    with pytest.raises(openai.APIConnectionError):
        for _ in ask(openai):
            pass
    reply = seen.one("model_reply")
    assert (reply.ok, reply.complete, reply.disconnected, reply.status) == (False, False, False, 200)
    assert reply.error.startswith("RemoteProtocolError: ")
    assert reply.text


def test_a_stream_that_ends_without_its_last_event_is_not_complete(openai, model, seen):
    model.script(say(TEXT))
    model.faults({"model.chat": [{"kind": "clean_eof", "first": 1}]})
    for _ in ask(openai):
        pass
    reply = seen.one("model_reply")
    assert (reply.ok, reply.complete, reply.disconnected, reply.error) == (False, False, False, None)
    assert reply.text == TEXT


def test_an_error_in_a_stream_is_the_replys(openai, model, seen):
    model.script(say(TEXT))
    model.faults({"model.chat": [{"kind": "error_event", "after": 2, "first": 1}]})
    with pytest.raises(openai.APIError):
        for _ in ask(openai):
            pass
    reply = seen.one("model_reply")
    assert not reply.ok
    assert reply.error


def test_a_stall_in_a_stream_is_told(openai, model, clock, seen):
    model.script(say(TEXT))
    model.faults({"model.chat": [{"kind": "stream_stall", "after": 2, "seconds": 900, "first": 1}]})
    with pytest.raises(openai.APITimeoutError):
        for _ in ask(openai, timeout=60):
            pass
    reply = seen.one("model_reply")
    assert (reply.ok, reply.complete) == (False, False)
    assert reply.error.startswith("ReadTimeout: ")
    assert reply.latency_ms >= 60_000


def test_the_lines_of_a_raw_stream_are_seen_too(openai, model, seen):
    model.script(say(TEXT))
    client = openai.OpenAI()
    with client.chat.completions.with_streaming_response.create(model="m", messages=QUESTION, stream=True) as raw:
        assert type(raw).__name__ == "APIResponse"
        assert [line for line in raw.iter_lines() if line][-1] == "data: [DONE]"
    reply = seen.one("model_reply")
    assert (reply.ok, reply.text, reply.complete) == (True, TEXT, True)


def test_a_streamed_body_that_is_no_stream_is_read_as_one_body(openai, model, seen):
    model.script(say(TEXT))
    client = openai.OpenAI()
    with client.chat.completions.with_streaming_response.create(model="m", messages=QUESTION) as raw:
        assert raw.parse().choices[0].message.content == TEXT
    assert (seen.one("model_reply").ok, seen.one("model_reply").text) == (True, TEXT)


def test_a_raw_response_is_seen_and_parsed_by_whoever_wants(openai, model, seen):
    model.script(say(TEXT))
    raw = openai.OpenAI().chat.completions.with_raw_response.create(model="m", messages=QUESTION)
    assert type(raw).__name__ == "LegacyAPIResponse"
    assert seen.one("model_reply").text == TEXT
    assert raw.parse().choices[0].message.content == TEXT
    assert len(seen.of("model_reply")) == 1


def test_what_a_stream_says_is_kept_as_a_body_would_hold_it(openai, model, seen):
    model.script(call("pay", to="Bob"))
    for _ in ask(openai, tools=TOOLS):
        pass
    (choice,) = seen.one("model_reply").response["choices"]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"]["tool_calls"][0]["function"] == {"name": "pay", "arguments": '{"to":"Bob"}'}


@pytest.mark.asyncio
async def test_an_async_stream_that_is_left_early_says_so(openai, model, seen):
    model.script(say(TEXT))
    async with openai.AsyncOpenAI() as client:
        stream = await client.chat.completions.create(model="m", messages=QUESTION, stream=True)
        async with stream:
            async for chunk in stream:
                if chunk.choices[0].delta.content:
                    break
    reply = seen.one("model_reply")
    assert (reply.ok, reply.complete, reply.disconnected) == (False, False, True)


@pytest.mark.asyncio
async def test_an_agent_that_is_told_to_stop_leaves_its_call(openai, model, seen):
    model.faults({"model.chat": [{"kind": "timeout", "first": 1}]})
    async with openai.AsyncOpenAI(timeout=600) as client:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(client.chat.completions.create(model="m", messages=QUESTION), 30)
    reply, end = seen.one("model_reply"), seen.one("attempt_end")
    assert (reply.ok, reply.complete, reply.disconnected, reply.error) == (False, False, True, "CancelledError: ")
    assert end.error == "CancelledError: "
    assert reply.latency_ms == 30_000


@pytest.mark.asyncio
async def test_an_agent_that_is_told_to_stop_leaves_its_stream(openai, model, seen):
    model.script(say(TEXT))
    model.faults({"model.chat": [{"kind": "stream_stall", "after": 2, "seconds": 900, "first": 1}]})

    async def read(client):
        async for _ in await client.chat.completions.create(model="m", messages=QUESTION, stream=True):
            pass

    async with openai.AsyncOpenAI(timeout=600) as client:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(read(client), 30)
    reply = seen.one("model_reply")
    assert (reply.ok, reply.complete, reply.disconnected) == (False, False, True)
