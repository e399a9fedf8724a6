"""litellm: one call each, whatever it sends them through, and however often."""

from __future__ import annotations

import pytest

from squall.models import say

QUESTION = [{"role": "user", "content": "Pay Bob."}]
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:pydantic")


def test_through_openais_sdk_a_call_counts_once_with_all_retries(litellm, model, seen):
    model.script(say("Paid."))
    model.faults({"model.chat": [{"kind": "http_503", "first": 2}]})
    litellm.completion("openai/m", QUESTION, temperature=0.5, api_key="k")
    call, reply = seen.one("model_call"), seen.one("model_reply")
    assert (call.target, call.model, call.messages, call.asked) == (
        "model.chat",
        "openai/m",
        QUESTION,
        {"model": "openai/m", "temperature": 0.5},
    )
    assert (reply.ok, reply.text, reply.attempt) == (True, "Paid.", 3)
    assert [end.status for end in seen.of("attempt_end")] == [503, 503, 200]


def test_its_own_retries_are_attempts_of_one_call(litellm, model, seen):
    model.script(say("Paid."))
    model.faults({"model.messages": [{"kind": "http_503", "first": 1}]})
    litellm.completion("anthropic/claude-x", QUESTION, num_retries=2)
    assert len(seen.of("model_call")) == 1
    assert [end.status for end in seen.of("attempt_end")] == [503, 200]
    assert {event.call for event in seen.of("attempt", "attempt_end", "fault", "model_reply")} == {1}
    assert seen.one("model_reply").text == "Paid."


def test_what_it_answers_without_asking_anybody_is_seen(litellm, model, seen):
    answer = litellm.completion("gpt-4o", QUESTION, mock_response="Paid.")
    assert answer.choices[0].message.content == "Paid."
    assert seen.kinds == ["model_call", "model_reply"]
    assert (seen.one("model_reply").text, seen.one("model_reply").finish) == ("Paid.", "stop")


def test_a_stream_of_its_own_objects_is_seen(litellm, model, seen):
    stream = litellm.completion("gpt-4o", QUESTION, mock_response="Paid in full.", stream=True)
    assert isinstance(stream, litellm.CustomStreamWrapper)
    assert "".join(chunk.choices[0].delta.content or "" for chunk in stream) == "Paid in full."
    reply = seen.one("model_reply")
    assert (reply.ok, reply.text, reply.complete) == (True, "Paid in full.", True)


def test_its_own_messages_can_be_handed_back(litellm, model, seen):
    model.brain(lambda _request: "Paid.")
    first = litellm.completion("openai/m", QUESTION).choices[0].message
    litellm.completion("openai/m", [*QUESTION, first, *QUESTION])
    second = seen.of("model_call")[1]
    assert second.continues == 1
    assert [(each["role"], each["content"]) for each in second.messages] == [
        ("assistant", "Paid."),
        ("user", "Pay Bob."),
    ]


def test_a_stream_that_ends_early_is_not_complete_and_ends_as_it_does_without_hooks(litellm, model, seen):
    model.script(say("one two three"))
    model.faults({"model.messages": [{"kind": "clean_eof", "first": 1}]})
    with pytest.raises(litellm.exceptions.MidStreamFallbackError):
        for _ in litellm.completion("anthropic/claude-x", QUESTION, stream=True):
            pass
    assert (seen.one("model_reply").ok, seen.one("model_reply").complete) == (False, False)


@pytest.mark.asyncio
async def test_async_calls_and_embeddings_and_responses(litellm, model, seen):
    model.brain(lambda _request: "Paid.")
    await litellm.acompletion(model="openai/m", messages=QUESTION)
    await litellm.aembedding(model="openai/text-embedding-3-small", input=["a", "b"])
    await litellm.aresponses(model="openai/m", input="Pay Bob.")
    await litellm.close_litellm_async_clients()
    assert [call.target for call in seen.of("model_call")] == ["model.chat", "model.embeddings", "model.responses"]
    assert [reply.ok for reply in seen.of("model_reply")] == [True, True, True]
    assert seen.of("model_reply")[1].response["vectors"] == 2
    assert seen.of("model_reply")[2].text == "Paid."


def test_what_it_raises_is_the_reply(litellm, model, seen):
    model.faults({"model.messages": [{"kind": "http_400", "first": 1}]})
    with pytest.raises(litellm.BadRequestError):
        litellm.completion("anthropic/claude-x", QUESTION)
    assert (seen.one("model_reply").ok, seen.one("model_reply").status) == (False, 400)
