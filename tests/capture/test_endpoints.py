"""The endpoints and the SDKs' own ways to them that `tests/sdks/ways.py` does not go."""

from __future__ import annotations

import httpx2
import pydantic
import pytest

from squall.checks import judge
from squall.checks.story import story_of
from squall.models import call, say

QUESTION = [{"role": "user", "content": "Pay Bob."}]
PAY = {
    "name": "pay",
    "description": "Pay.",
    "input_schema": {"type": "object", "properties": {"to": {"type": "string"}}},
}


class Paid(pydantic.BaseModel):
    to: str


def test_parse_of_chat(openai, model, seen):
    model.script(say('{"to":"Bob"}'))
    parsed = openai.OpenAI().chat.completions.parse(model="m", messages=QUESTION, response_format=Paid)
    assert parsed.choices[0].message.parsed == Paid(to="Bob")
    assert seen.one("model_reply").text == '{"to":"Bob"}'
    assert seen.one("model_call").asked["response_format"]["type"] == "json_schema"


def test_the_stream_helper_of_chat(openai, model, seen):
    model.script(say("Paid."))
    with openai.OpenAI().chat.completions.stream(model="m", messages=QUESTION) as stream:
        assert stream.get_final_completion().choices[0].message.content == "Paid."
    assert (seen.one("model_reply").text, seen.one("model_reply").ok) == ("Paid.", True)


def test_responses_hold_what_came_before_and_know_what_they_continue(openai, model, seen):
    model.brain(lambda _request: "Paid.")
    client = openai.OpenAI()
    first = client.responses.create(model="m", input="Pay Bob.", instructions="Be kind.")
    client.responses.create(model="m", input="Again.", previous_response_id=first.id)
    asked, again = seen.of("model_call")
    assert asked.target == "model.responses"
    assert asked.messages == [{"content": "Pay Bob.", "role": "user"}]
    assert asked.asked["instructions"] == "Be kind."
    assert again.continues == asked.call
    assert [reply.text for reply in seen.of("model_reply")] == ["Paid.", "Paid."]


def test_streams_of_responses(openai, model, seen):
    model.script(call("pay", to="Bob"))
    tools = [{"type": "function", "name": "pay", "parameters": {"type": "object"}, "strict": False}]
    for _ in openai.OpenAI().responses.create(model="m", input="Pay Bob.", stream=True, tools=tools):
        pass
    reply = seen.one("model_reply")
    assert (reply.ok, reply.complete, reply.finish) == (True, True, "tool_calls")
    assert [(each["name"], each["arguments"]) for each in reply.calls] == [("pay", '{"to":"Bob"}')]


@pytest.mark.parametrize("kind", ["clean_eof", "stream_disconnect"])
def test_a_stream_of_responses_that_is_cut_keeps_what_had_come(openai, model, seen, kind):
    model.script(say("one two three"))
    model.faults(
        {"model.responses": [{"kind": kind, "first": 1, **({"after": 7} if kind == "stream_disconnect" else {})}]}
    )
    try:
        for _ in openai.OpenAI(max_retries=0).responses.create(model="m", input="Pay Bob.", stream=True):
            pass
    except openai.APIConnectionError:
        assert kind == "stream_disconnect"
    reply = seen.one("model_reply")
    assert (reply.ok, reply.complete) == (False, False)
    assert reply.text.startswith("one")


def test_parse_of_responses(openai, model, seen):
    model.script(say('{"to":"Bob"}'))
    assert openai.OpenAI().responses.parse(model="m", input="Pay.", text_format=Paid).output_parsed == Paid(to="Bob")
    assert seen.one("model_reply").text == '{"to":"Bob"}'


def test_embeddings(openai, model, seen):
    found = openai.OpenAI().embeddings.create(model="m", input=["a", "b", "c"])
    assert len(found.data) == 3
    assert seen.one("model_call").asked["input"] == ["a", "b", "c"]
    reply = seen.one("model_reply")
    assert (reply.ok, reply.response["vectors"]) == (True, 3)


@pytest.mark.parametrize("beta", [False, True])
@pytest.mark.parametrize("stream", [False, True])
def test_messages(anthropic, model, seen, beta, stream):
    model.script(call("pay", to="Bob"))
    client = anthropic.Anthropic()
    messages = client.beta.messages if beta else client.messages
    found = messages.create(
        model="claude-x", max_tokens=99, messages=QUESTION, system="Be kind.", tools=[PAY], stream=stream
    )
    for _ in found if stream else ():
        pass
    asked, reply = seen.one("model_call"), seen.one("model_reply")
    assert (asked.target, asked.messages, asked.asked["system"]) == ("model.messages", QUESTION, "Be kind.")
    assert (reply.ok, reply.complete, reply.finish) == (True, True, "tool_calls")
    assert [(each["name"], each["arguments"]) for each in reply.calls] == [("pay", '{"to":"Bob"}')]
    assert reply.calls[0]["id"].startswith("toolu_")
    assert set(reply.usage) == {"input", "output"}


def test_messages_whose_stream_is_cut_inside_arguments(anthropic, model, seen):
    model.script(call("pay", to="Bob Bobson", note="rent for the month of may"))
    model.faults({"model.messages": [{"kind": "clean_eof", "after": 6, "first": 1}]})
    with anthropic.Anthropic().messages.stream(
        model="claude-x", max_tokens=99, messages=QUESTION, tools=[PAY]
    ) as stream:
        stream.get_final_message()
    reply = seen.one("model_reply")
    assert (reply.ok, reply.complete, reply.finish) == (False, False, None)
    assert [each["name"] for each in reply.calls] == ["pay"]


def test_an_error_event_of_messages(anthropic, model, seen):
    model.script(say("one two three"))
    model.faults({"model.messages": [{"kind": "error_event", "after": 3, "first": 1}]})
    with pytest.raises(anthropic.APIStatusError):
        for _ in anthropic.Anthropic(max_retries=0).messages.create(
            model="claude-x", max_tokens=99, messages=QUESTION, stream=True
        ):
            pass
    assert (seen.one("model_reply").ok, bool(seen.one("model_reply").error)) == (False, True)


def test_other_paths_are_none_of_ours(openai, anthropic, model, seen):
    openai.OpenAI().models.list()
    anthropic.Anthropic().messages.count_tokens(model="claude-x", messages=QUESTION)
    assert seen.kinds == []


def test_azure_asks_at_other_paths(openai, model, seen):
    transport = httpx2.MockTransport(
        lambda _: httpx2.Response(
            200, json={"id": "c", "choices": [{"index": 0, "message": {"role": "assistant", "content": "Paid."}}]}
        )
    )
    client = openai.AzureOpenAI(
        azure_endpoint="https://x.example", api_version="v", api_key="k", http_client=httpx2.Client(transport=transport)
    )
    client.chat.completions.create(model="m", messages=QUESTION)
    assert (seen.one("model_reply").text, seen.one("model_reply").ok) == ("Paid.", True)


def test_a_thread_that_the_server_holds_is_one_conversation_with_its_tools(anthropic, model, seen):
    @anthropic.beta_tool
    def pay(to: str) -> str:
        """Pay somebody."""
        raise ValueError(f"unknown payee {to}")

    model.script(call("pay", to="Bob"), call("pay", to="Eve"), say("Both are paid."))
    client = anthropic.Anthropic()
    client.beta.messages.tool_runner(model="m", max_tokens=99, messages=QUESTION, tools=[pay]).until_done()
    first, second, third = seen.of("model_call")
    assert (second.continues, third.continues) == (first.call, second.call)
    assert [call.tools is None for call in (first, second, third)] == [False, True, True]
    assert "system" not in first.asked
    (conversation,) = story_of(seen.trace).conversations
    assert [(step.arguments, step.failed) for step in conversation.tools] == [
        ({"to": "Bob"}, "flag"),
        ({"to": "Eve"}, "flag"),
    ]
    assert [verdict.check for verdict in judge(seen.trace) if verdict.fails] == ["unrecovered_tool_error"]
