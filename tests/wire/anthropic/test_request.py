"""Requests for messages: what is read out of a body, and what is refused, with its place."""

from __future__ import annotations

import pytest
import typing_extensions
from anthropic.types import message_count_tokens_params, message_create_params
from anthropic.types.beta import message_count_tokens_params as beta_count_tokens_params
from anthropic.types.beta import message_create_params as beta_create_params

from squall.call import BadRequest, Message, ToolOffer
from squall.wire.anthropic import request
from squall.wire.anthropic.count_tokens import read as read_to_count

IN_HEADERS = {"betas", "user_profile_id", "workspace_id"}
OLDER = {"temperature", "top_k", "top_p", "output_format"}
TOOL = {"name": "pay", "description": "Pays.", "input_schema": {"type": "object"}}


def test_a_plain_request_is_read(asked):
    found = asked(system="Be brief", stop_sequences=["END"], stream=True, temperature=0.5)
    assert (found.endpoint, found.model, found.max_tokens, found.stop) == ("messages", "m", 100, ("END",))
    assert (found.stream, found.include_usage, found.tool_choice, found.parallel) == (True, True, "auto", True)
    assert found.messages == (
        Message("system", "Be brief", place="system"),
        Message("user", "Hi", place="messages.0"),
    )
    assert found.headers["anthropic-version"] == "2023-06-01"
    assert found.body["temperature"] == 0.5


def test_tools_are_offered_and_servers_own_tools_are_not(asked):
    tools = [
        {**TOOL, "type": "custom", "strict": True},
        {"type": "bash_20250124", "name": "bash"},
        {"type": "web_search_20250305", "name": "web_search", "max_uses": 3},
        {"type": "mcp_toolset", "mcp_server_name": "files"},
    ]
    assert asked(tools=tools).tools == (
        ToolOffer("pay", "Pays.", {"type": "object"}, strict=True),
        ToolOffer("bash", schema={"type": "object"}),
    )


@pytest.mark.parametrize(
    ("choice", "read"),
    [
        ({"type": "auto"}, ("auto", True)),
        ({"type": "any", "disable_parallel_tool_use": True}, ("required", False)),
        ({"type": "tool", "name": "pay"}, ("pay", True)),
        ({"type": "none"}, ("none", True)),
    ],
)
def test_the_choice_of_a_tool_is_read(asked, choice, read):
    found = asked(tools=[TOOL], tool_choice=choice)
    assert (found.tool_choice, found.parallel) == read


@pytest.mark.parametrize("field", ["output_config", "output_format"])
def test_the_schema_of_a_structured_answer_is_read(asked, field):
    form = {"type": "json_schema", "schema": {"type": "object"}}
    assert asked(**{field: {"format": form} if field == "output_config" else form}).schema == {"type": "object"}
    assert asked(output_config={"effort": "low"}).schema is None


def test_what_may_be_null_may_be(asked):
    found = asked(cache_control=None, container=None, system=None, tools=None, tool_choice=None, stop_sequences=None)
    assert (found.tools, found.stop, found.schema) == ((), (), None)


def test_the_fields_of_the_sdk_are_taken_and_no_others():
    known = set()
    for module in (message_create_params, beta_create_params):
        known |= set(typing_extensions.get_type_hints(module.MessageCreateParamsStreaming))
    assert known - IN_HEADERS | OLDER | {"mock_scope"} == set(request.ASKED)
    counted = set()
    for module in (message_count_tokens_params, beta_count_tokens_params):
        counted |= set(typing_extensions.get_type_hints(module.MessageCountTokensParams))
    assert counted - IN_HEADERS | {"output_format", "mock_scope"} == set(request.COUNTED)


LONG_USER = {"user_id": "x" * 513}
REFUSED = {
    "no model": ({"model": ...}, "model"),
    "no limit": ({"max_tokens": ...}, "max_tokens"),
    "no messages": ({"messages": ...}, "messages"),
    "an empty conversation": ({"messages": []}, "messages"),
    "too long a conversation": ({"messages": [{"role": "user", "content": "Hi"}] * 100_001}, "messages"),
    "messages that are none": ({"messages": "Hi"}, "messages"),
    "an empty model": ({"model": ""}, "model"),
    "a model of another kind": ({"model": 4}, "model"),
    "a null model": ({"model": None}, "model"),
    "a negative limit": ({"max_tokens": -1}, "max_tokens"),
    "a limit in words": ({"max_tokens": "100"}, "max_tokens"),
    "a limit of half a token": ({"max_tokens": 0.5}, "max_tokens"),
    "a limit that is true": ({"max_tokens": True}, "max_tokens"),
    "a null limit": ({"max_tokens": None}, "max_tokens"),
    "a field that is none": ({"n": 2}, "n"),
    "OpenAI's field": ({"response_format": {"type": "json_object"}}, "response_format"),
    "too hot": ({"temperature": 1.5}, "temperature"),
    "a temperature in words": ({"temperature": "0"}, "temperature"),
    "a negative top_k": ({"top_k": -1}, "top_k"),
    "top_p beyond one": ({"top_p": 2}, "top_p"),
    "a stream that is none": ({"stream": "yes"}, "stream"),
    "a blank stop sequence": ({"stop_sequences": ["a", " "]}, "stop_sequences.1"),
    "a stop sequence that is none": ({"stop_sequences": "END"}, "stop_sequences"),
    "metadata with more": ({"metadata": {"user": "x"}}, "metadata.user"),
    "a long user": ({"metadata": LONG_USER}, "metadata.user_id"),
    "metadata that is none": ({"metadata": "x"}, "metadata"),
    "another tier": ({"service_tier": "flex"}, "service_tier"),
    "another speed": ({"speed": "slow"}, "speed"),
    "a place that is none": ({"inference_geo": 3}, "inference_geo"),
    "thinking of no type": ({"thinking": {}}, "thinking.type"),
    "thinking without a budget": ({"thinking": {"type": "enabled"}}, "thinking.enabled.budget_tokens"),
    "little thinking": (
        {"thinking": {"type": "enabled", "budget_tokens": 10}, "max_tokens": 2000},
        "thinking.enabled.budget_tokens",
    ),
    "thinking beyond the limit": ({"thinking": {"type": "enabled", "budget_tokens": 1024}}, "max_tokens"),
    "output of no schema": ({"output_config": {"format": {"type": "json_schema"}}}, "output_config.format.schema"),
    "output of another form": ({"output_format": {"type": "text"}}, "output_format.type"),
    "an effort that is none": ({"output_config": {"effort": "huge"}}, "output_config.effort"),
    "tools that are none": ({"tools": {}}, "tools"),
    "a tool that is none": ({"tools": ["pay"]}, "tools.0"),
    "a tool without a name": ({"tools": [{"input_schema": {"type": "object"}}]}, "tools.0.name"),
    "a tool's bad name": ({"tools": [{**TOOL, "name": "pay me"}]}, "tools.0.name"),
    "a tool's long name": ({"tools": [{**TOOL, "name": "x" * 129}]}, "tools.0.name"),
    "a tool without a schema": ({"tools": [{"name": "pay"}]}, "tools.0.custom.input_schema"),
    "a schema without a type": ({"tools": [{**TOOL, "input_schema": {}}]}, "tools.0.custom.input_schema.type"),
    "a schema of no object": (
        {"tools": [{**TOOL, "input_schema": {"type": "array"}}]},
        "tools.0.custom.input_schema.type",
    ),
    "a tool with more": ({"tools": [{**TOOL, "parameters": {}}]}, "tools.0.custom.parameters"),
    "a tool's type that is none": ({"tools": [{**TOOL, "type": 3}]}, "tools.0.type"),
    "two tools of one name": ({"tools": [TOOL, TOOL]}, "tools"),
    "a choice of nothing": ({"tool_choice": {"type": "any"}}, "tool_choice"),
    "a choice in a word": ({"tools": [TOOL], "tool_choice": "auto"}, "tool_choice"),
    "a choice of another type": ({"tools": [TOOL], "tool_choice": {"type": "required"}}, "tool_choice.type"),
    "a chosen tool without a name": ({"tools": [TOOL], "tool_choice": {"type": "tool"}}, "tool_choice.tool.name"),
    "a chosen tool that is not offered": (
        {"tools": [TOOL], "tool_choice": {"type": "tool", "name": "fly"}},
        "tool_choice.tool.name",
    ),
    "a parallel use that is none": (
        {"tools": [TOOL], "tool_choice": {"type": "auto", "disable_parallel_tool_use": "yes"}},
        "tool_choice.auto.disable_parallel_tool_use",
    ),
}


@pytest.mark.parametrize(("changes", "place"), REFUSED.values(), ids=REFUSED)
def test_a_request_is_refused_where_it_is_wrong(asked, changes, place):
    with pytest.raises(BadRequest) as refused:
        asked(**changes)
    assert (refused.value.status, refused.value.param) == (400, place)
    assert refused.value.message.startswith(f"{place}: ")


def test_thinking_between_tools_may_go_beyond_the_limit():
    body = {
        "model": "m",
        "max_tokens": 100,
        "messages": [{"role": "user", "content": "Hi"}],
        "thinking": {"type": "enabled", "budget_tokens": 2048},
    }
    headers = {"anthropic-version": "2023-06-01", "anthropic-beta": "interleaved-thinking-2025-05-14"}
    assert request.read(body, headers).max_tokens == 100


@pytest.mark.parametrize("headers", [{}, {"anthropic-version": "latest"}])
def test_a_request_tells_the_version_of_the_api(headers):
    body = {"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "Hi"}]}
    with pytest.raises(BadRequest, match="anthropic-version"):
        request.read(body, headers)


def test_counting_needs_no_limit_and_takes_none(headers):
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    assert read_to_count(body, headers).max_tokens is None
    with pytest.raises(BadRequest, match="max_tokens"):
        read_to_count({**body, "max_tokens": 1}, headers)
