"""A completion's body is what the official SDK takes for one, and says what the reply says."""

from __future__ import annotations

import pytest
from openai.types.chat import ChatCompletion
from pydantic import TypeAdapter

from squall.call import ModelRequest, Reply, ToolUse, Usage
from squall.wire.openai.chat import Chat

MODEL = TypeAdapter(ChatCompletion)
chat = Chat()


def asked(**fields):
    return ModelRequest("chat", "gpt-x", **fields)


@pytest.fixture
def completion(stamp, over_the_wire):
    def make(reply, **fields):
        return MODEL.validate_python(over_the_wire(chat.whole(asked(**fields), reply, stamp)), strict=True)

    return make


def test_a_text_is_the_content_of_the_only_choice(completion):
    found = completion(Reply("Good morning"))
    assert found.id.startswith("chatcmpl-")
    assert found.model == "gpt-x"
    assert [choice.message.content for choice in found.choices] == ["Good morning"]
    assert found.choices[0].finish_reason == "stop"
    assert found.service_tier == "default"
    assert found.system_fingerprint.startswith("fp_")


def test_there_are_as_many_choices_as_were_asked_for_and_their_calls_have_ids_of_their_own(completion):
    found = completion(Reply(calls=(ToolUse("a"), ToolUse("b"))), n=3)
    assert [choice.index for choice in found.choices] == [0, 1, 2]
    ids = [call.id for choice in found.choices for call in choice.message.tool_calls]
    assert len(set(ids)) == 6


def test_calls_keep_the_ids_they_have_and_arguments_go_as_they_are(completion):
    found = completion(Reply(calls=(ToolUse("pay", '{"amount": 1', "call_mine"),)))
    call = found.choices[0].message.tool_calls[0]
    assert (call.id, call.function.name, call.function.arguments) == ("call_mine", "pay", '{"amount": 1')
    assert found.choices[0].message.content is None
    assert found.choices[0].finish_reason == "tool_calls"


def test_a_request_with_functions_gets_a_function_call(completion):
    body = {"functions": [{"name": "pay"}]}
    found = completion(Reply(calls=(ToolUse("pay", '{"amount":1}'),)), body=body)
    assert found.choices[0].message.function_call.name == "pay"
    assert found.choices[0].message.tool_calls is None
    assert found.choices[0].finish_reason == "function_call"


def test_a_request_with_functions_and_tools_gets_calls_of_tools(completion):
    body = {"functions": [{"name": "pay"}], "tools": [{}]}
    found = completion(Reply(calls=(ToolUse("pay"),)), body=body)
    assert found.choices[0].message.function_call is None
    assert found.choices[0].finish_reason == "tool_calls"


def test_a_custom_tool_gets_plain_text(stamp, over_the_wire):
    tools = [{"type": "custom", "custom": {"name": "run"}}]
    request = chat.read({"model": "m", "messages": [{"role": "user", "content": "x"}], "tools": tools}, {})
    body = over_the_wire(chat.whole(request, Reply(calls=(ToolUse("run", "print()"),)), stamp))
    MODEL.validate_python(body, strict=True)
    [call] = body["choices"][0]["message"]["tool_calls"]
    assert (call["type"], call["custom"]) == ("custom", {"name": "run", "input": "print()"})


def test_a_refusal_stands_beside_an_empty_content(completion):
    found = completion(Reply(refusal="I will not."))
    assert (found.choices[0].message.content, found.choices[0].message.refusal) == (None, "I will not.")
    assert found.choices[0].finish_reason == "stop"


@pytest.mark.parametrize(
    ("finish", "told"),
    [("stop", "stop"), ("length", "length"), ("content_filter", "content_filter"), ("refusal", "stop")],
)
def test_the_reason_to_stop_is_told_in_the_providers_word(completion, finish, told):
    assert completion(Reply("x", finish=finish)).choices[0].finish_reason == told


def test_another_word_for_stopping_goes_over_the_wire_as_it_is(stamp):
    assert chat.whole(asked(), Reply("x", finish="tired"), stamp)["choices"][0]["finish_reason"] == "tired"


def test_usage_that_is_stated_is_told_and_adds_up(completion):
    usage = completion(Reply("x", usage=Usage(10, 5, cached=4, reasoning=2))).usage
    assert (usage.prompt_tokens, usage.completion_tokens, usage.total_tokens) == (10, 5, 15)
    assert usage.prompt_tokens_details.cached_tokens == 4
    assert usage.completion_tokens_details.reasoning_tokens == 2


def test_usage_that_is_not_stated_is_counted_for_all_choices(completion):
    one, two = completion(Reply("a b c", reasoning="hm")).usage, completion(Reply("a b c", reasoning="hm"), n=2).usage
    assert one.total_tokens == one.prompt_tokens + one.completion_tokens
    assert (one.completion_tokens, two.completion_tokens) == (4, 8)
    assert one.completion_tokens_details.reasoning_tokens == 1


def test_a_completion_can_be_without_choices(stamp):
    body = chat.whole(asked(), Reply("x"), stamp)
    assert chat.empty(body)["choices"] == []
    assert len(body["choices"]) == 1


def test_the_same_model_has_the_same_fingerprint_and_another_has_another(stamp):
    def found(model):
        return chat.whole(ModelRequest("chat", model), Reply("x"), stamp)["system_fingerprint"]

    assert found("a") == found("a") != found("b")
