"""Calls of the official SDKs, as their users write them, recorded from both sides at once."""

from __future__ import annotations

import asyncio
import warnings

import httpx2
import pytest

from squall.capture import hooks
from squall.capture.calling import ModelCalling
from squall.models import call, say

QUESTION = [{"role": "user", "content": "Pay Bob."}]


def paid(_request):
    """What the model says, whatever it is asked."""
    return "Paid."


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


def test_retries_of_an_sdk_are_attempts_of_one_call(openai, model, seen):
    model.script(say("Paid."))
    model.faults(
        {"model.chat": [{"kind": "http_429", "first": 1, "retry_after": 7}, {"kind": "connection_error", "nth": 2}]}
    )
    openai.OpenAI().chat.completions.create(model="m", messages=QUESTION)
    assert [(end.attempt, end.status, end.retry_after) for end in seen.of("attempt_end")] == [
        (1, 429, 7.0),
        (2, None, None),
        (3, 200, None),
    ]
    assert seen.of("attempt_end")[1].error.startswith("RemoteProtocolError: ")
    assert [event.attempt for event in seen.of("attempt")] == [1, 2, 3]
    assert {event.call for event in seen.of("attempt", "attempt_end", "fault")} == {1}
    reply = seen.one("model_reply")
    assert (reply.ok, reply.attempt, reply.status, reply.text) == (True, 3, 200, "Paid.")
    assert len(seen.of("model_call")) == 1


def test_what_an_sdk_raises_is_the_reply(openai, model, seen):
    model.script(say("Paid."))
    model.faults({"model.chat": [{"kind": "http_503", "first": 9}]})
    with pytest.raises(openai.InternalServerError):
        openai.OpenAI().chat.completions.create(model="m", messages=QUESTION)
    reply = seen.one("model_reply")
    assert (reply.ok, reply.status, reply.attempt, reply.complete) == (False, 503, 3, False)
    assert reply.error.startswith("InternalServerError: ")
    assert len(seen.of("attempt")) == 3


def test_a_deadline_that_passes_is_the_reply(openai, model, clock, seen):
    model.faults({"model.chat": [{"kind": "timeout", "first": 1}]})
    with pytest.raises(openai.APITimeoutError):
        openai.OpenAI(timeout=60, max_retries=0).chat.completions.create(model="m", messages=QUESTION)
    reply, end = seen.one("model_reply"), seen.one("attempt_end")
    assert (reply.ok, reply.status, reply.error) == (False, None, "APITimeoutError: Request timed out.")
    assert end.error.startswith("ReadTimeout: ")
    assert 60_000 <= end.latency_ms < 61_000


def test_what_a_provider_refuses_before_it_counts_is_an_attempt_too(openai, model, seen):
    with pytest.raises(openai.BadRequestError):
        openai.OpenAI().chat.completions.create(
            model="m", messages=[*QUESTION, {"role": "tool", "tool_call_id": "none", "content": "?"}]
        )
    assert seen.kinds == CALM
    assert (seen.one("attempt").digest, seen.one("attempt").nth) == ("", 0)
    assert (seen.one("attempt_end").status, seen.one("model_reply").status) == (400, 400)


def test_a_body_that_is_no_json_is_what_the_sdk_raises(openai, model, seen):
    model.script(say("Paid."))
    model.faults({"model.chat": [{"kind": "malformed_json", "first": 1}]})
    with pytest.raises(ValueError, match=r"Expecting|Unterminated"):
        openai.OpenAI().chat.completions.create(model="m", messages=QUESTION)
    assert (seen.one("model_reply").ok, seen.one("model_reply").status) == (False, 200)


def test_an_error_in_a_200_is_an_error(openai, model, seen):
    model.script(say("Paid."))
    model.faults({"model.chat": [{"kind": "error_in_200", "first": 1}]})
    assert openai.OpenAI().chat.completions.create(model="m", messages=QUESTION).choices is None
    reply = seen.one("model_reply")
    assert (reply.ok, reply.status, reply.complete) == (False, 200, True)
    assert reply.error


def test_a_request_is_kept_as_it_was_sent(openai, model, seen):
    model.brain(paid)
    messages = [*QUESTION]
    client = openai.OpenAI()
    client.chat.completions.create(model="m", messages=messages)
    messages[0]["content"] = "Rob Bob."
    client.chat.completions.create(model="m", messages=messages)
    assert [call.messages[0]["content"] for call in seen.of("model_call")] == ["Pay Bob.", "Rob Bob."]
    messages[0]["content"] = "Pay Bob."


def test_the_second_call_of_a_conversation_holds_what_is_new(openai, model, seen):
    model.script(call("pay", to="Bob"), say("Paid."))
    client = openai.OpenAI()
    tools = [{"type": "function", "function": {"name": "pay", "parameters": {"type": "object"}}}]
    first = client.chat.completions.create(model="m", messages=QUESTION, tools=tools).choices[0].message
    result = {"role": "tool", "tool_call_id": first.tool_calls[0].id, "content": "done"}
    client.chat.completions.create(
        model="m", messages=[*QUESTION, first.model_dump(exclude_none=True), result], tools=tools
    )
    asked = seen.of("model_call")
    assert asked[1].continues == asked[0].call
    assert [each["role"] for each in asked[1].messages] == ["assistant", "tool"]
    reply = seen.of("model_reply")[0]
    assert reply.finish == "tool_calls"
    assert reply.calls == [{"name": "pay", "arguments": '{"to":"Bob"}', "id": first.tool_calls[0].id}]


def test_the_points_where_faults_can_happen_are_those_without_hooks(openai, model, seen):
    model.brain(paid)
    openai.OpenAI().chat.completions.create(model="m", messages=QUESTION)
    hooks.uninstall()
    openai.OpenAI().chat.completions.create(model="m", messages=QUESTION)
    first, second = seen.of("attempt")
    assert (first.digest, first.attempt, first.nth) == (second.digest, second.attempt, 1)
    assert [each.call for each in seen.of("model_call")] == [1, 2]
    assert [each.call for each in seen.of("model_reply")] == [1, 2]


@pytest.mark.asyncio
async def test_equal_calls_at_one_time_stay_apart(openai, model, seen):
    model.brain(paid)
    async with openai.AsyncOpenAI() as client:
        await asyncio.gather(*(client.chat.completions.create(model="m", messages=QUESTION) for _ in range(20)))
    for kind in CALM:
        assert sorted(event.call for event in seen.of(kind)) == list(range(1, 21)), kind


def test_clients_that_were_there_before_are_seen(openai, model, seen):
    hooks.uninstall()
    client = openai.OpenAI()
    create = client.chat.completions.create
    hooks.install()
    model.script(say("Paid."))
    create(model="m", messages=QUESTION)
    assert seen.kinds == CALM


def test_without_a_run_nothing_is_recorded_and_nothing_is_in_the_way(openai):
    transport = httpx2.MockTransport(lambda _: httpx2.Response(200, json={"choices": [], "object": "chat.completion"}))
    client = openai.OpenAI(http_client=httpx2.Client(transport=transport), api_key="k")
    assert client.chat.completions.create(model="m", messages=QUESTION).choices == []


def test_a_bug_of_squalls_own_never_reaches_the_agent(openai, model, seen, monkeypatch):
    model.brain(paid)

    def broken(*_):
        raise ZeroDivisionError("ours")

    monkeypatch.setattr(ModelCalling, "answered", broken)
    monkeypatch.setattr(ModelCalling, "returned", broken)
    client = openai.OpenAI()
    with pytest.warns(RuntimeWarning, match="could not capture all of this run") as told:
        said = [client.chat.completions.create(model="m", messages=QUESTION).choices for _ in range(2)]
    assert all(said)
    incomplete = seen.of("capture_incomplete")
    assert len(incomplete) == len(told) == 2  # one for each place
    assert all("ZeroDivisionError: ours" in event.why for event in incomplete)


def test_where_warnings_are_errors_the_agent_is_not_disturbed_either(openai, model, seen, monkeypatch):
    model.script(say("Paid."))
    monkeypatch.setattr(ModelCalling, "answered", None)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        openai.OpenAI().chat.completions.create(model="m", messages=QUESTION)
    assert seen.of("capture_incomplete")


def test_calls_can_be_looked_at_with_all_their_tries(openai, model, seen):
    model.script(say("Paid."))
    model.faults({"model.chat": [{"kind": "http_429", "first": 1}, {"kind": "connection_error", "nth": 2}]})
    openai.OpenAI().chat.completions.create(model="m", messages=QUESTION)
    (view,) = seen.trace.model_calls()
    assert [(each.attempt, each.ok, each.status, each.faults) for each in view.attempts] == [
        (1, False, 429, ("http_429",)),
        (2, False, None, ("connection_error",)),
        (3, True, 200, ()),
    ]
    assert (view.ok, view.text, view.faults) == (True, "Paid.", ("http_429", "connection_error"))
    assert seen.trace.line() == "model.chat!http_429 → model.chat!connection_error → model.chat"
