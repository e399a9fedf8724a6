"""A response's body is what the official SDK takes for one: its items say what the reply says."""

from __future__ import annotations

import pytest
from openai.types.responses import Response
from pydantic import TypeAdapter

from squall.call import Reply, ToolUse, Usage
from squall.wire.openai.responses import Responses

MODEL = TypeAdapter(Response)


@pytest.fixture
def response(stamp, over_the_wire):
    def make(reply, **fields):
        responses = Responses()
        request = responses.read({"model": "gpt-x", "input": "Hello", **fields}, {})
        return MODEL.validate_python(over_the_wire(responses.whole(request, reply, stamp)))

    return make


def test_a_text_is_a_message(response):
    found = response(Reply("Good morning"))
    assert (found.output_text, found.status, found.error, found.incomplete_details) == (
        "Good morning",
        "completed",
        None,
        None,
    )
    assert [(item.type, item.status) for item in found.output] == [("message", "completed")]
    assert found.id.startswith("resp_")
    assert found.output[0].id.startswith("msg_")


def test_reasoning_comes_first_and_calls_come_last(response):
    found = response(Reply("Well", calls=(ToolUse("pay", '{"a":1}'), ToolUse("wait", id="call_x")), reasoning="Hm"))
    assert [item.type for item in found.output] == ["reasoning", "message", "function_call", "function_call"]
    assert found.output[0].summary[0].text == "Hm"
    assert [(call.name, call.arguments) for call in found.output[2:]] == [("pay", '{"a":1}'), ("wait", "{}")]
    assert found.output[2].call_id.startswith("call_")
    assert found.output[3].call_id == "call_x"
    assert len({item.id for item in found.output}) == 4


def test_reasoning_is_encrypted_too_where_that_is_asked_for(response):
    assert response(Reply("a", reasoning="Hm")).output[0].encrypted_content is None
    assert response(Reply("a", reasoning="Hm"), include=["reasoning.encrypted_content"]).output[0].encrypted_content


def test_a_refusal_is_a_part_of_a_message(response):
    found = response(Reply(refusal="No."))
    assert [(part.type, part.refusal) for part in found.output[0].content] == [("refusal", "No.")]


@pytest.mark.parametrize(("finish", "reason"), [("length", "max_output_tokens"), ("content_filter", "content_filter")])
def test_a_reply_that_was_cut_is_incomplete(response, finish, reason):
    found = response(Reply("Once upon", finish=finish))
    assert (found.status, found.incomplete_details.reason, found.output[0].status) == (
        "incomplete",
        reason,
        "incomplete",
    )


def test_a_custom_tool_gets_plain_text(response):
    found = response(Reply(calls=(ToolUse("run", "print()"),)), tools=[{"type": "custom", "name": "run"}])
    assert (found.output[0].type, found.output[0].input) == ("custom_tool_call", "print()")


def test_what_was_asked_is_told_again(response):
    tools = [{"type": "function", "name": "pay"}, {"type": "web_search"}]
    found = response(
        Reply("Hi"),
        instructions="Be kind",
        metadata={"k": "v"},
        temperature=0.5,
        tools=tools,
        tool_choice={"type": "function", "name": "pay"},
        reasoning={"effort": "low"},
        text={"format": {"type": "json_schema", "name": "a", "schema": {"type": "object"}}},
        user="u",
        conversation="conv_1",
        max_output_tokens=20,
    )
    assert (found.instructions, found.metadata, found.temperature, found.user) == ("Be kind", {"k": "v"}, 0.5, "u")
    assert [tool.type for tool in found.tools] == ["function", "web_search"]
    assert (found.tools[0].strict, found.tool_choice.name, found.reasoning.effort) == (False, "pay", "low")
    assert (found.text.format.name, found.conversation.id, found.max_output_tokens) == ("a", "conv_1", 20)


def test_a_function_is_strict_wherever_its_schema_can_be(response):
    closed = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
    tools = [
        {"type": "function", "name": name, "parameters": schema}
        for name, schema in (("a", closed), ("b", {"type": "object"}))
    ]
    assert [tool.strict for tool in response(Reply("Hi"), tools=tools).tools] == [True, False]


def test_usage_adds_up(response):
    usage = response(Reply("x", usage=Usage(10, 5, cached=4, reasoning=2))).usage
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (10, 5, 15)
    assert (usage.input_tokens_details.cached_tokens, usage.output_tokens_details.reasoning_tokens) == (4, 2)
    counted = response(Reply("one two")).usage
    assert counted.output_tokens == 2
    assert counted.total_tokens == counted.input_tokens + 2


def test_a_response_can_be_without_output(stamp):
    responses = Responses()
    body = responses.whole(responses.read({"model": "m", "input": "x"}, {}), Reply("Hi"), stamp)
    assert responses.empty(body)["output"] == []
    assert len(body["output"]) == 1
