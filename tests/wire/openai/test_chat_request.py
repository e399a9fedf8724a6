"""A request for a chat completion is read as it is meant, and refused where and as the provider refuses it."""

from __future__ import annotations

import pytest

from squall.call import BadRequest
from squall.wire.openai import chat_request
from squall.wire.openai.chat import Chat

HELLO = {"role": "user", "content": "Hello"}
TOOL = {"type": "function", "function": {"name": "pay", "parameters": {"type": "object"}}}
chat = Chat()


def read(**fields):
    body = {"model": "gpt-x", "messages": [HELLO], **fields}
    return chat.read({name: value for name, value in body.items() if value is not ...}, {"x-squall-scope": "a"})


def refused(**fields):
    with pytest.raises(BadRequest) as caught:
        read(**fields)
    problem = caught.value
    assert problem.status == 400
    assert problem.message.endswith(".")
    return problem.param, problem.code


def said(*messages):
    return read(messages=list(messages)).messages


def test_what_is_asked_is_read():
    request = read(stream=True, n=2, temperature=1, stop="END", max_tokens=9, seed=1, mock_scope="run1")
    assert (request.endpoint, request.model, request.stream, request.n) == ("chat", "gpt-x", True, 2)
    assert (request.stop, request.max_tokens) == (("END",), 9)
    assert request.headers == {"x-squall-scope": "a"}
    assert request.body["mock_scope"] == "run1"
    assert (request.tools, request.tool_choice, request.parallel, request.include_usage) == ((), "auto", True, False)


def test_the_newer_limit_of_tokens_goes_before_the_older():
    assert read(max_tokens=9, max_completion_tokens=3).max_tokens == 3


def test_null_is_as_good_as_nothing():
    request = read(**dict.fromkeys(chat_request.FIELDS.keys() - {"model", "messages"}))
    assert (request.n, request.stop, request.max_tokens, request.stream) == (1, (), None, False)


def test_all_that_the_sdks_own_tests_send_is_accepted():
    read(
        messages=[{"content": "string", "role": "developer", "name": "name"}],
        audio={"format": "wav", "voice": "alloy"},
        frequency_penalty=-2,
        function_call="none",
        functions=[{"name": "name", "description": "description", "parameters": {"foo": "bar"}}],
        logit_bias={"foo": 0},
        logprobs=True,
        max_completion_tokens=0,
        max_tokens=0,
        metadata={"foo": "string"},
        modalities=["text"],
        moderation={"model": "model", "policy": {"input": {"mode": "score"}, "output": {"mode": "score"}}},
        n=1,
        parallel_tool_calls=True,
        prediction={"content": "string", "type": "content"},
        presence_penalty=-2,
        prompt_cache_key="prompt-cache-key-1234",
        prompt_cache_options={"mode": "implicit", "ttl": "30m"},
        prompt_cache_retention="in_memory",
        reasoning_effort="none",
        response_format={"type": "text"},
        safety_identifier="safety-identifier-1234",
        seed=-9007199254740991,
        service_tier="auto",
        stop="\n",
        store=True,
        stream=False,
        stream_options={"include_obfuscation": True, "include_usage": True},
        temperature=1,
        tool_choice="none",
        tools=[{"type": "function", "function": {"name": "name", "parameters": {"foo": "bar"}, "strict": True}}],
        top_logprobs=0,
        top_p=1,
        user="user-1234",
        verbosity="low",
        web_search_options={"search_context_size": "low"},
    )


@pytest.mark.parametrize(
    ("fields", "param", "code"),
    [
        ({"model": ...}, "model", "missing_required_parameter"),
        ({"model": ""}, "model", "missing_required_parameter"),
        ({"model": 4}, "model", "invalid_type"),
        ({"messages": ...}, "messages", "missing_required_parameter"),
        ({"messages": "Hello"}, "messages", "invalid_type"),
        ({"messages": []}, "messages", "empty_array"),
        ({"colour": "red"}, "colour", "unknown_parameter"),
        ({"colour": None}, "colour", "unknown_parameter"),
        ({"stream": "yes"}, "stream", "invalid_type"),
        ({"stream": 1}, "stream", "invalid_type"),
        ({"stream_options": {"include_usage": True}}, "stream_options", "invalid_value"),
        ({"stream": True, "stream_options": True}, "stream_options", "invalid_type"),
        ({"stream": True, "stream_options": {"include_usage": 1}}, "stream_options.include_usage", "invalid_type"),
        ({"n": 0}, "n", "integer_below_min_value"),
        ({"n": 129}, "n", "integer_above_max_value"),
        ({"n": True}, "n", "invalid_type"),
        ({"n": 1.5}, "n", "invalid_type"),
        ({"max_tokens": -1}, "max_tokens", "integer_below_min_value"),
        ({"max_completion_tokens": -1}, "max_completion_tokens", "integer_below_min_value"),
        ({"temperature": 2.5}, "temperature", "decimal_above_max_value"),
        ({"temperature": -0.1}, "temperature", "decimal_below_min_value"),
        ({"temperature": "hot"}, "temperature", "invalid_type"),
        ({"top_p": 3}, "top_p", "integer_above_max_value"),
        ({"presence_penalty": -2.5}, "presence_penalty", "decimal_below_min_value"),
        ({"stop": list("abcde")}, "stop", "array_above_max_length"),
        ({"stop": ["a", 1]}, "stop[1]", "invalid_type"),
        ({"stop": 1}, "stop", "invalid_type"),
        ({"seed": "1"}, "seed", "invalid_type"),
        ({"top_logprobs": 2}, "top_logprobs", "invalid_value"),
        ({"logprobs": True, "top_logprobs": 21}, "top_logprobs", "integer_above_max_value"),
        ({"service_tier": "first"}, "service_tier", "invalid_value"),
        ({"reasoning_effort": 3}, "reasoning_effort", "invalid_type"),
        ({"modalities": ["text", "smell"]}, "modalities[1]", "invalid_value"),
        ({"modalities": "text"}, "modalities", "invalid_type"),
        ({"safety_identifier": "x" * 65}, "safety_identifier", "string_above_max_length"),
        ({"metadata": {"a": 1}}, "metadata.a", "invalid_type"),
        ({"metadata": {"a": "x" * 513}}, "metadata.a", "string_above_max_length"),
        ({"metadata": {"k" * 65: "x"}}, "metadata." + "k" * 64, "string_above_max_length"),
        ({"metadata": {str(n): "" for n in range(17)}}, "metadata", "object_above_max_properties"),
        ({"logit_bias": [1]}, "logit_bias", "invalid_type"),
    ],
)
def test_a_wrong_field_is_refused_by_its_name(fields, param, code):
    assert refused(**fields) == (param, code)


def test_a_refusal_tells_what_was_sent_and_what_is_allowed():
    with pytest.raises(BadRequest, match=r"Invalid 'n': 300 is above what is allowed. It should be at most 128."):
        read(n=300)
    with pytest.raises(BadRequest, match=r"'stream': it should be a boolean, and an array was sent"):
        read(stream=[])
    with pytest.raises(BadRequest, match=r"'stop': it should be a string or an array of strings, and an object was"):
        read(stop={})


def test_options_of_a_stream_count_only_for_one():
    assert read(stream=True, stream_options={"include_usage": True}).include_usage
    assert not read(stream=True, stream_options={}).include_usage
    assert not read(stream=False, stream_options={"include_usage": True}).include_usage


def test_messages_are_read_with_their_places():
    parts = [
        {"type": "text", "text": "What is this?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA==", "detail": "low"}},
        {"type": "input_audio", "input_audio": {"data": "AA==", "format": "wav"}},
        {"type": "file", "file": {"file_id": "file-1"}},
        {"type": "text", "text": "And that?"},
    ]
    calls = [
        {"id": "call_1", "type": "function", "function": {"name": "pay", "arguments": "{}"}},
        {"id": "call_2", "type": "custom", "custom": {"name": "run", "input": "print()"}},
    ]
    found = said(
        {"role": "developer", "content": "Be kind", "name": "boss"},
        {"role": "user", "content": parts},
        {"role": "assistant", "content": None, "tool_calls": calls},
        {"role": "tool", "tool_call_id": "call_1", "content": [{"type": "text", "text": "paid"}]},
        {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]},
        {"role": "assistant", "content": None, "refusal": "Never."},
    )
    assert [message.role for message in found] == ["system", "user", "assistant", "tool", "assistant", "assistant"]
    assert [message.place for message in found] == [f"messages.{place}" for place in range(6)]
    assert (found[1].text, found[1].parts) == ("What is this?\nAnd that?", 5)
    assert [(call.name, call.arguments, call.id) for call in found[2].calls] == [
        ("pay", "{}", "call_1"),
        ("run", "print()", "call_2"),
    ]
    assert found[2].parts == 0
    assert (found[3].answers, found[3].text) == ("call_1", "paid")
    assert [message.text for message in found[4:]] == ["No.", "Never."]


def test_calls_and_results_of_the_time_before_tools_are_paired():
    call = {"role": "assistant", "content": None, "function_call": {"name": "pay", "arguments": "{}"}}
    found = said(HELLO, call, {"role": "function", "name": "pay", "content": "1"}, call, HELLO)
    assert found[1].calls[0].id == found[2].answers != found[3].calls[0].id


@pytest.mark.parametrize(
    ("message", "param", "code"),
    [
        ("Hello", "messages[0]", "invalid_type"),
        ({"content": "Hello"}, "messages[0].role", "missing_required_parameter"),
        ({"role": 1, "content": "Hello"}, "messages[0].role", "invalid_type"),
        ({"role": "robot", "content": "Hello"}, "messages[0].role", "invalid_value"),
        ({"role": "user"}, "messages[0].content", "missing_required_parameter"),
        ({"role": "user", "content": None}, "messages[0].content", "invalid_type"),
        ({"role": "user", "content": 1}, "messages[0].content", "invalid_type"),
        ({"role": "user", "content": "x", "name": "a b"}, "messages[0].name", "invalid_value"),
        ({"role": "user", "content": "x", "name": 1}, "messages[0].name", "invalid_type"),
        ({"role": "user", "content": ["x"]}, "messages[0].content[0]", "invalid_type"),
        ({"role": "user", "content": [{}]}, "messages[0].content[0].type", "missing_required_parameter"),
        ({"role": "user", "content": [{"type": "odour"}]}, "messages[0].content[0].type", "invalid_value"),
        ({"role": "user", "content": [{"type": "text"}]}, "messages[0].content[0].text", "missing_required_parameter"),
        (
            {"role": "user", "content": [{"type": "image_url", "image_url": "http://x"}]},
            "messages[0].content[0].image_url",
            "invalid_type",
        ),
        (
            {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x", "detail": "fine"}}]},
            "messages[0].content[0].image_url.detail",
            "invalid_value",
        ),
        (
            {"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "", "format": "8-track"}}]},
            "messages[0].content[0].input_audio.format",
            "invalid_value",
        ),
        (
            {"role": "system", "content": [{"type": "image_url", "image_url": {"url": "x"}}]},
            "messages[0].content[0].type",
            "invalid_value",
        ),
        ({"role": "tool", "content": "x"}, "messages[0].tool_call_id", "missing_required_parameter"),
        ({"role": "tool", "tool_call_id": "a"}, "messages[0].content", "missing_required_parameter"),
        ({"role": "function", "content": "x"}, "messages[0].name", "missing_required_parameter"),
        ({"role": "function", "name": "x"}, "messages[0].content", "missing_required_parameter"),
        ({"role": "assistant", "tool_calls": []}, "messages[0].tool_calls", "empty_array"),
        ({"role": "assistant", "tool_calls": {}}, "messages[0].tool_calls", "invalid_type"),
        ({"role": "assistant", "refusal": 1}, "messages[0].refusal", "invalid_type"),
        (
            {"role": "assistant", "function_call": {"name": "a"}},
            "messages[0].function_call.arguments",
            "missing_required_parameter",
        ),
    ],
)
def test_a_wrong_message_is_refused_by_its_place(message, param, code):
    assert refused(messages=[message]) == (param, code)


def test_a_conversation_has_at_most_2048_messages():
    assert len(said(*[HELLO] * 2048)) == 2048
    assert refused(messages=[HELLO] * 2049) == ("messages", "array_above_max_length")


@pytest.mark.parametrize(
    ("call", "param", "code"),
    [
        ({"type": "function"}, "id", "missing_required_parameter"),
        ({"id": "x" * 41, "type": "function"}, "id", "string_above_max_length"),
        ({"id": "a"}, "type", "missing_required_parameter"),
        ({"id": "a", "type": "spell"}, "type", "invalid_value"),
        ({"id": "a", "type": "function"}, "function", "missing_required_parameter"),
        (
            {"id": "a", "type": "function", "function": {"arguments": "{}"}},
            "function.name",
            "missing_required_parameter",
        ),
        (
            {"id": "a", "type": "function", "function": {"name": "p", "arguments": {}}},
            "function.arguments",
            "invalid_type",
        ),
        ({"id": "a", "type": "custom", "custom": {"name": "p"}}, "custom.input", "missing_required_parameter"),
    ],
)
def test_a_wrong_call_is_refused_by_its_place(call, param, code):
    message = {"role": "assistant", "tool_calls": [call]}
    assert refused(messages=[HELLO, message]) == (f"messages[1].tool_calls[0].{param}", code)


def test_tools_are_read():
    parameters = {"type": "object", "properties": {"a": {"type": "string"}}}
    tools = [
        {"type": "function", "function": {"name": "pay", "description": "Pays", "parameters": parameters}},
        {"type": "function", "function": {"name": "wait"}},
        {"type": "custom", "custom": {"name": "run"}},
    ]
    found = read(tools=tools, parallel_tool_calls=False)
    assert [(tool.name, tool.description) for tool in found.tools] == [("pay", "Pays"), ("wait", ""), ("run", "")]
    assert found.tools[0].schema == parameters
    assert found.tools[1].schema["type"] == "object"
    assert found.tools[2].schema == {"type": "string"}
    assert not found.parallel


def test_functions_are_tools_of_an_earlier_time():
    found = read(functions=[{"name": "pay"}, {"name": "wait"}], function_call={"name": "wait"})
    assert [tool.name for tool in found.tools] == ["pay", "wait"]
    assert found.tool_choice == "wait"


@pytest.mark.parametrize(
    ("choice", "told"),
    [
        (None, "auto"),
        ("none", "none"),
        ("required", "required"),
        ({"type": "function", "function": {"name": "pay"}}, "pay"),
    ],
)
def test_a_choice_of_a_tool_is_read(choice, told):
    assert read(tools=[TOOL], tool_choice=choice).tool_choice == told


def test_a_choice_can_leave_some_of_the_tools():
    other = {"type": "function", "function": {"name": "wait"}}
    allowed = {"mode": "required", "tools": [{"type": "function", "function": {"name": "wait"}}]}
    found = read(tools=[TOOL, other], tool_choice={"type": "allowed_tools", "allowed_tools": allowed})
    assert (found.tool_choice, [tool.name for tool in found.tools]) == ("required", ["wait"])


def function(**fields):
    return {"tools": [{"type": "function", "function": {"name": "pay", **fields}}]}


@pytest.mark.parametrize(
    ("fields", "param", "code"),
    [
        ({"tools": []}, "tools", "empty_array"),
        ({"tools": [TOOL] * 129}, "tools", "array_above_max_length"),
        ({"tools": ["pay"]}, "tools[0]", "invalid_type"),
        ({"tools": [{}]}, "tools[0].type", "missing_required_parameter"),
        ({"tools": [{"type": "spell"}]}, "tools[0].type", "invalid_value"),
        ({"tools": [{"type": "function"}]}, "tools[0].function", "missing_required_parameter"),
        ({"tools": [{"type": "custom", "custom": {}}]}, "tools[0].custom.name", "missing_required_parameter"),
        (function(name="pay now"), "tools[0].function.name", "invalid_value"),
        (function(name="p" * 65), "tools[0].function.name", "string_above_max_length"),
        (function(description=1), "tools[0].function.description", "invalid_type"),
        (function(strict=1), "tools[0].function.strict", "invalid_type"),
        (function(parameters=[]), "tools[0].function.parameters", "invalid_type"),
        (function(parameters={"type": "array"}), "tools[0].function.parameters", "invalid_function_parameters"),
        (
            function(strict=True, parameters={"type": "object"}),
            "tools[0].function.parameters",
            "invalid_function_parameters",
        ),
        ({"tool_choice": "auto"}, "tool_choice", "invalid_value"),
        ({"parallel_tool_calls": True}, "parallel_tool_calls", "invalid_value"),
        ({"tools": [TOOL], "tool_choice": "maybe"}, "tool_choice", "invalid_value"),
        ({"tools": [TOOL], "tool_choice": 1}, "tool_choice", "invalid_type"),
        ({"tools": [TOOL], "tool_choice": {"type": "spell"}}, "tool_choice.type", "invalid_value"),
        (
            {"tools": [TOOL], "tool_choice": {"type": "function", "function": {"name": "wait"}}},
            "tool_choice",
            "invalid_value",
        ),
        ({"functions": []}, "functions", "empty_array"),
        ({"functions": ["pay"]}, "functions[0]", "invalid_type"),
        ({"function_call": "auto"}, "function_call", "invalid_value"),
        ({"functions": [{"name": "pay"}], "function_call": "required"}, "function_call", "invalid_value"),
        ({"functions": [{"name": "pay"}], "function_call": {"name": "wait"}}, "function_call", "invalid_value"),
    ],
)
def test_wrong_tools_and_choices_are_refused(fields, param, code):
    assert refused(**fields) == (param, code)


SCHEMA = {"type": "object", "properties": {"a": {"type": "string"}}}
STRICT = {**SCHEMA, "required": ["a"], "additionalProperties": False}


def in_schema(**fields):
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "answer", **fields}}}


def test_the_schema_of_an_answer_is_read():
    assert read(**in_schema(schema=SCHEMA)).schema == SCHEMA
    assert read(**in_schema(schema=STRICT, strict=True)).schema == STRICT
    assert read(**in_schema()).schema == {"type": "object"}
    assert read(response_format={"type": "text"}).schema is None


def test_any_object_can_be_asked_for_if_the_word_json_is_spoken():
    form = {"type": "json_object"}
    assert read(response_format=form, messages=[{"role": "user", "content": "In JSON"}]).schema == {"type": "object"}
    assert refused(response_format=form) == ("messages", None)


@pytest.mark.parametrize(
    ("fields", "param", "code"),
    [
        ({"response_format": "json"}, "response_format", "invalid_type"),
        ({"response_format": {}}, "response_format.type", "missing_required_parameter"),
        ({"response_format": {"type": "xml"}}, "response_format.type", "invalid_value"),
        ({"response_format": {"type": "json_schema"}}, "response_format.json_schema", "missing_required_parameter"),
        (in_schema(name=None), "response_format.json_schema.name", "missing_required_parameter"),
        (in_schema(name="an answer"), "response_format.json_schema.name", "invalid_value"),
        (in_schema(strict="yes"), "response_format.json_schema.strict", "invalid_type"),
        (in_schema(schema=[]), "response_format.json_schema.schema", "invalid_type"),
        (in_schema(schema={"type": "array"}), "response_format", None),
        (in_schema(schema=SCHEMA, strict=True), "response_format", None),
    ],
)
def test_a_wrong_form_of_answer_is_refused(fields, param, code):
    assert refused(**fields) == (param, code)
