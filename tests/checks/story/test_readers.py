"""The three shapes, as real clients leave them in a trace."""

from __future__ import annotations

from typing import Any

import anthropic as sdk_anthropic
import openai
import pytest

from squall.checks.story import NOT_JSON, anthropic, chat, responses, story_of
from squall.models import call, refuse, say
from squall.runs.current import current

SCHEMA = {"type": "object", "properties": {"q": {"type": "string"}}}
ASKED: Any = [{"role": "user", "content": "find it"}]


def told():
    run = current()
    assert run is not None
    return story_of(run.trace)


def by_chat(stream=False):
    client: Any = openai.OpenAI()
    tools = [{"type": "function", "function": {"name": "find", "parameters": SCHEMA}}]
    said = client.chat.completions.create(model="m", messages=ASKED, tools=tools).choices[0].message
    result = {"role": "tool", "tool_call_id": said.tool_calls[0].id, "content": "Error: no"}
    messages = [*ASKED, said.model_dump(exclude_none=True), result]
    client.chat.completions.create(model="m", messages=messages, tools=tools)


def by_responses():
    client: Any = openai.OpenAI()
    tools = [{"type": "function", "name": "find", "parameters": SCHEMA, "strict": False}]
    said = client.responses.create(model="m", input="find it", instructions="be kind", tools=tools)
    result = {"type": "function_call_output", "call_id": said.output[0].call_id, "output": "Error: no"}
    client.responses.create(model="m", previous_response_id=said.id, input=[result], tools=tools)


def by_items():
    client: Any = openai.OpenAI()
    tools = [{"type": "function", "name": "find", "parameters": SCHEMA, "strict": False}]
    said = client.responses.create(model="m", input=ASKED, tools=tools)
    result = {"type": "function_call_output", "call_id": said.output[0].call_id, "output": "Error: no"}
    client.responses.create(
        model="m", input=[*ASKED, *[item.model_dump() for item in said.output], result], tools=tools
    )


def by_messages():
    client: Any = sdk_anthropic.Anthropic()
    tools = [{"name": "find", "input_schema": SCHEMA}]
    said = client.messages.create(model="m", max_tokens=99, system="be kind", messages=ASKED, tools=tools)
    result = {"type": "tool_result", "tool_use_id": said.content[0].id, "content": "Error: no", "is_error": True}
    messages = [*ASKED, {"role": "assistant", "content": said.content}, {"role": "user", "content": [result]}]
    client.messages.create(model="m", max_tokens=99, system="be kind", messages=messages, tools=tools)


@pytest.mark.parametrize("agent", [by_chat, by_responses, by_items, by_messages])
def test_each_way_of_asking_gives_the_same_story(model, agent):
    model.script(call("find", q="x"), say("It is not there."))
    agent()
    story = told()
    (talk,) = story.conversations
    first, second = talk.turns
    assert (first.uses[0].name, first.uses[0].arguments, first.finish) == ("find", {"q": "x"}, "tool_calls")
    assert (second.text, second.finish, second.ok, second.attempts) == ("It is not there.", "stop", True, 1)
    assert first.offered == {"find": SCHEMA}
    assert talk.users == ("find it",)
    (step,) = story.tools
    assert (step.tool, step.arguments, step.text, step.turn) == ("find", {"q": "x"}, "Error: no", 1)
    assert step.failed == ("flag" if agent is by_messages else "words")
    assert talk.system == ("be kind" if agent in (by_responses, by_messages) else "")


def test_a_refusal_is_one_by_any_provider(model):
    model.script(refuse("I will not."))
    openai.OpenAI().chat.completions.create(model="m", messages=ASKED)
    openai.OpenAI().responses.create(model="m", input="find it")
    sdk_anthropic.Anthropic().messages.create(model="m", max_tokens=9, messages=ASKED)
    turns = told().turns
    assert [(turn.finish, turn.text) for turn in turns] == [("refusal", "I will not.")] * 3


def test_an_sdk_s_own_retries_are_attempts_of_one_turn(model):
    model.script(say("done"))
    model.faults({"model.chat": [{"kind": "http_503", "first": 2}]})
    openai.OpenAI().chat.completions.create(model="m", messages=ASKED)
    (turn,) = told().turns
    assert (turn.attempts, turn.ok, turn.text) == (3, True, "done")


def test_chat_messages_of_any_kind_are_read():
    found = chat.messages(
        [
            {"role": "developer", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]},
            {"role": "user", "content": [{"type": "image_url", "image_url": {}}, {"type": "text", "text": "see"}]},
            {"role": "assistant", "content": None, "function_call": {"name": "old", "arguments": "{"}},
            {"role": "function", "name": "old", "content": "7"},
            {
                "role": "assistant",
                "refusal": "no",
                "tool_calls": [{"id": "1", "type": "custom", "custom": {"name": "c", "input": "x"}}],
            },
            {"role": "tool", "content": None},
            {},
        ]
    )
    assert [each.role for each in found] == ["system", "user", "assistant", "tool", "assistant", "tool", "user"]
    assert [each.text for each in found] == ["a\nb", "see", "", "7", "no", "", ""]
    assert found[2].calls[0].arguments is NOT_JSON
    assert (found[4].calls[0].free, found[4].calls[0].arguments) == (True, "x")
    assert found[3].name == "old"


@pytest.mark.parametrize("reader", [chat, responses, anthropic])
@pytest.mark.parametrize(
    "body", [None, [], "text", 7, {}, {"choices": []}, {"choices": [None]}, {"choices": [{"message": 7}]},
             {"output": [7]}, {"content": [None, {"type": "tool_use"}]}, {"error": {"message": "no"}},
             {"output": [{"type": "x"}]}],
)  # fmt: skip
def test_a_body_of_any_shape_is_read_without_an_error(reader, body):
    said = reader.reply(body)
    assert isinstance(said.text, str)


@pytest.mark.parametrize("reader", [chat, responses, anthropic])
def test_messages_and_tools_of_any_shape_are_read_without_an_error(reader):
    odd = [{}, {"role": 7}, {"role": "tool", "content": 7}, {"role": "assistant", "tool_calls": [7, {}], "content": {}}]
    odd += [{"role": "user", "content": [7, {"type": "tool_result"}]}, {"type": "function_call"}, {"type": 7}]
    assert len(reader.messages(odd)) > 1
    assert reader.offers([{}, 7, {"name": 7}, {"type": "function", "function": 7}], {}) == {}
    assert reader.offers(None, {}) == {}


def test_tools_that_a_request_does_not_name_may_be_any():
    assert chat.offers([{"type": "mcp", "server_label": "x"}], {}) is None
    assert responses.offers([], {"prompt": {"id": "p"}}) is None
    assert anthropic.offers([{"type": "tool_search_tool_regex", "name": "x"}], {}) is None
    assert anthropic.offers([{"type": "bash_20250124", "name": "bash"}], {}) == {"bash": None}
    assert chat.offers([{"type": "custom", "custom": {"name": "c"}}], {"functions": [{"name": "f"}]}) == {
        "c": None,
        "f": None,
    }


def test_what_the_provider_ran_itself_is_told_apart():
    body: dict[str, Any] = {
        "output": [{"type": "web_search_call"}, {"type": "reasoning"}, {"type": "message", "content": []}]
    }
    assert responses.reply(body).hosted == ("web_search_call",)
    body = {"content": [{"type": "server_tool_use", "name": "web_search"}], "stop_reason": "pause_turn"}
    assert anthropic.reply(body)[2:4] == ("pause", ("server_tool_use",))


@pytest.mark.parametrize("status", ["queued", "in_progress"])
def test_a_response_in_the_background_goes_on(status):
    assert responses.reply({"status": status, "output": []}).finish == "pause"
