"""A request for a response is read as it is meant, and refused where and as the provider refuses it."""

from __future__ import annotations

import pytest

from squall.call import BadRequest, Reply
from squall.wire.openai import responses_request
from squall.wire.openai.responses import Responses

TOOL = {"type": "function", "name": "pay", "parameters": {"type": "object"}}


@pytest.fixture
def responses():
    return Responses()


@pytest.fixture
def read(responses):
    def make(**fields):
        body = {"model": "gpt-x", "input": "Hello", **fields}
        return responses.read({name: value for name, value in body.items() if value is not ...}, {"a": "b"})

    return make


@pytest.fixture
def refused(read):
    def make(**fields):
        with pytest.raises(BadRequest) as caught:
            read(**fields)
        return caught.value.param, caught.value.code

    return make


def test_what_is_asked_is_read(read):
    request = read(stream=True, max_output_tokens=20, instructions="Be kind", parallel_tool_calls=False)
    assert (request.endpoint, request.model, request.stream) == ("responses", "gpt-x", True)
    assert (request.max_tokens, request.parallel, request.headers) == (20, False, {"a": "b"})
    assert [(message.role, message.text, message.place) for message in request.messages] == [
        ("system", "Be kind", "instructions"),
        ("user", "Hello", "input"),
    ]


def test_null_is_as_good_as_nothing(read):
    assert read(**dict.fromkeys(responses_request.FIELDS.keys() - {"model", "input"})).max_tokens is None


def test_all_that_the_sdks_own_tests_send_is_accepted_but_a_past_that_is_not_there(read, refused):
    fields = {
        "access_programs": {"cyber": "standard"},
        "background": True,
        "background_options": {"completion_window": "soonest", "continuation_id": "continuation_id"},
        "context_management": [{"type": "compaction", "compact_threshold": 1000}],
        "conversation": "string",
        "image": {"context_compression": "auto"},
        "include": ["file_search_call.results"],
        "input": "string",
        "instructions": "instructions",
        "max_output_tokens": 16,
        "max_tool_calls": 0,
        "metadata": {"foo": "string"},
        "model": "gpt-6-astra",
        "moderation": {"model": "model", "policy": {"input": {"mode": "score"}, "output": {"mode": "score"}}},
        "parallel_tool_calls": True,
        "prompt": {"id": "id", "variables": {"foo": "string"}, "version": "version"},
        "prompt_cache_key": "prompt-cache-key-1234",
        "prompt_cache_options": {"comparison_response_id": "resp_123", "mode": "implicit", "ttl": "30m"},
        "prompt_cache_retention": "in_memory",
        "reasoning": {"context": "auto", "effort": "none", "mode": "standard", "summary": "auto"},
        "safety_identifier": "safety-identifier-1234",
        "service_tier": "auto",
        "store": True,
        "stream": False,
        "stream_options": {"include_obfuscation": True},
        "temperature": 1,
        "text": {"format": {"type": "text"}, "verbosity": "low"},
        "tool_choice": "none",
        "tools": [
            {
                "name": "name",
                "parameters": {"foo": "bar"},
                "strict": True,
                "type": "function",
                "allowed_callers": ["direct"],
                "async": True,
                "defer_loading": True,
                "description": "description",
                "output_schema": {"foo": "bar"},
            }
        ],
        "top_logprobs": 0,
        "top_p": 1,
        "truncation": "auto",
        "user": "user-1234",
    }
    assert [tool.name for tool in read(**fields).tools] == ["name"]
    past = {"conversation": None, "previous_response_id": "previous_response_id"}
    assert refused(**fields | past) == ("previous_response_id", "previous_response_not_found")


@pytest.mark.parametrize(
    ("fields", "param", "code"),
    [
        ({"model": ...}, "model", "missing_required_parameter"),
        ({"model": 1}, "model", "invalid_type"),
        ({"model": ..., "prompt": {}}, "prompt.id", "missing_required_parameter"),
        ({"input": ...}, "input", "missing_required_parameter"),
        ({"input": 1}, "input", "invalid_type"),
        ({"messages": []}, "messages", "unknown_parameter"),
        ({"n": 2}, "n", "unknown_parameter"),
        ({"stream": "no"}, "stream", "invalid_type"),
        ({"stream_options": {}}, "stream_options", "invalid_value"),
        (
            {"stream": True, "stream_options": {"include_obfuscation": 1}},
            "stream_options.include_obfuscation",
            "invalid_type",
        ),
        ({"max_output_tokens": 15}, "max_output_tokens", "integer_below_min_value"),
        ({"temperature": 3}, "temperature", "integer_above_max_value"),
        ({"truncation": "some"}, "truncation", "invalid_value"),
        ({"background": True, "store": False}, "background", "invalid_value"),
        ({"instructions": ["Be kind"]}, "instructions", "invalid_type"),
        ({"include": [1]}, "include[0]", "invalid_type"),
        ({"conversation": 1}, "conversation", "invalid_type"),
        ({"conversation": {}}, "conversation.id", "missing_required_parameter"),
        (
            {"conversation": "conv_1", "previous_response_id": "resp_1"},
            "previous_response_id",
            "mutually_exclusive_parameters",
        ),
        ({"text": "json"}, "text", "invalid_type"),
        ({"text": {"verbosity": "chatty"}}, "text.verbosity", "invalid_value"),
        ({"text": {"format": {"type": "xml"}}}, "text.format.type", "invalid_value"),
        ({"text": {"format": {"type": "json_object"}}}, "input", None),
        ({"text": {"format": {"type": "json_schema", "schema": {}}}}, "text.format.name", "missing_required_parameter"),
        (
            {"text": {"format": {"type": "json_schema", "name": "a"}}},
            "text.format.schema",
            "missing_required_parameter",
        ),
        ({"tools": {}}, "tools", "invalid_type"),
        ({"tools": [TOOL] * 129}, "tools", "array_above_max_length"),
        ({"tools": ["pay"]}, "tools[0]", "invalid_type"),
        ({"tools": [{}]}, "tools[0].type", "missing_required_parameter"),
        ({"tools": [{"type": "spell"}]}, "tools[0].type", "invalid_value"),
        ({"tools": [{"type": "function"}]}, "tools[0].name", "missing_required_parameter"),
        ({"tools": [{"type": "custom"}]}, "tools[0].name", "missing_required_parameter"),
        ({"tool_choice": "maybe"}, "tool_choice", "invalid_value"),
        ({"tool_choice": 1}, "tool_choice", "invalid_type"),
        ({"tool_choice": {"type": "spell"}}, "tool_choice.type", "invalid_value"),
        ({"tools": [TOOL], "tool_choice": {"type": "function", "name": "wait"}}, "tool_choice", "invalid_value"),
    ],
)
def test_a_wrong_field_is_refused_by_its_name(refused, fields, param, code):
    assert refused(**fields) == (param, code)


def test_a_stored_prompt_stands_for_a_model_and_an_input(read):
    request = read(model=..., input=..., prompt={"id": "pmpt_1"})
    assert (request.model, request.messages) == ("pmpt_1", ())


def test_what_an_assistant_said_and_called_in_a_row_is_one_message(read):
    request = read(
        input=[
            {"role": "developer", "content": "Be kind"},
            {
                "type": "message",
                "role": "user",
                "content": [{"type": "input_text", "text": "Pay"}, {"type": "input_image", "image_url": "x"}],
            },
            {"type": "reasoning", "id": "rs_1", "summary": []},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I will"}]},
            {"type": "function_call", "call_id": "call_1", "name": "pay", "arguments": "{}"},
            {"type": "custom_tool_call", "call_id": "call_2", "name": "run", "input": "print()"},
            {"type": "function_call_output", "call_id": "call_1", "output": "paid"},
            {"type": "custom_tool_call_output", "call_id": "call_2", "output": [{"type": "input_text", "text": "ran"}]},
            {"role": "assistant", "content": "Done"},
        ]
    )
    assert [(message.role, message.text, message.place) for message in request.messages] == [
        ("system", "Be kind", "input.0"),
        ("user", "Pay", "input.1"),
        ("assistant", "I will", "input.3"),
        ("tool", "paid", "input.6"),
        ("tool", "ran", "input.7"),
        ("assistant", "Done", "input.8"),
    ]
    assert request.messages[1].parts == 2
    calls = request.messages[2].calls
    assert [(call.name, call.arguments, call.id) for call in calls] == [
        ("pay", "{}", "call_1"),
        ("run", "print()", "call_2"),
    ]
    assert [message.answers for message in request.messages[3:5]] == ["call_1", "call_2"]


@pytest.mark.parametrize(
    ("item", "param", "code"),
    [
        ("Hello", "", "invalid_type"),
        ({}, ".id", "missing_required_parameter"),
        ({"type": "spell"}, ".type", "invalid_value"),
        ({"type": 1}, ".type", "invalid_type"),
        ({"type": "reasoning", "id": 1}, ".id", "invalid_type"),
        ({"role": "robot", "content": "x"}, ".role", "invalid_value"),
        ({"type": "message", "content": "x"}, ".role", "missing_required_parameter"),
        ({"role": "user"}, ".content", "missing_required_parameter"),
        ({"role": "user", "content": 1}, ".content", "invalid_type"),
        ({"role": "user", "content": [{"type": "text", "text": "x"}]}, ".content[0].type", "invalid_value"),
        (
            {"role": "user", "content": [{"type": "input_image", "image_url": 1}]},
            ".content[0].image_url",
            "invalid_type",
        ),
        ({"role": "assistant", "content": [{"type": "input_text", "text": "x"}]}, ".content[0].type", "invalid_value"),
        ({"type": "function_call", "call_id": "a", "name": "p"}, ".arguments", "missing_required_parameter"),
        ({"type": "function_call", "name": "p", "arguments": ""}, ".call_id", "missing_required_parameter"),
        ({"type": "function_call_output", "call_id": "", "output": ""}, ".call_id", "empty_string"),
        ({"type": "function_call_output", "call_id": "x" * 65, "output": ""}, ".call_id", "string_above_max_length"),
        ({"type": "function_call_output", "call_id": "a"}, ".output", "missing_required_parameter"),
    ],
)
def test_a_wrong_item_is_refused_by_its_place(refused, item, param, code):
    assert refused(input=[item]) == (f"input[0]{param}", code)


def test_tools_that_run_at_the_provider_are_taken_but_not_offered(read):
    tools = [{"type": "web_search"}, {**TOOL, "strict": False}, {"type": "custom", "name": "run"}]
    request = read(tools=tools, tool_choice={"type": "web_search"})
    assert [tool.name for tool in request.tools] == ["pay", "run"]
    assert request.tool_choice == "auto"


def test_choices_are_read(read):
    other = {"type": "function", "name": "wait"}
    assert read(tools=[TOOL, other], tool_choice="required").tool_choice == "required"
    assert read(tools=[TOOL, other], tool_choice={"type": "function", "name": "wait"}).tool_choice == "wait"
    some = read(tools=[TOOL, other], tool_choice={"type": "allowed_tools", "mode": "auto", "tools": [other]})
    assert (some.tool_choice, [tool.name for tool in some.tools]) == ("auto", ["wait"])


def test_the_schema_of_an_answer_is_read(read):
    form = {"type": "json_schema", "name": "answer", "schema": {"type": "object"}}
    assert read(text={"format": form}).schema == {"type": "object"}
    assert read(text={"format": {"type": "json_object"}}, input="In JSON").schema == {"type": "object"}
    assert read(text={"format": {"type": "text"}}).schema is None


def test_a_request_goes_on_with_the_response_before_it_but_without_its_instructions(responses, read, stamp):
    first = responses.whole(read(instructions="Be kind"), Reply("Hi"), stamp)
    found = read(input="And?", previous_response_id=first["id"], instructions="Be short").messages
    assert [(message.role, message.text, message.place) for message in found] == [
        ("system", "Be short", "instructions"),
        ("user", "Hello", "previous.0"),
        ("assistant", "Hi", "previous.1"),
        ("user", "And?", "input"),
    ]


def test_a_request_can_refer_to_an_item_of_an_earlier_response(responses, read, refused, stamp):
    item = responses.whole(read(), Reply("Hi"), stamp)["output"][0]["id"]
    found = read(input=[{"type": "item_reference", "id": item}, {"role": "user", "content": "And?"}]).messages
    assert [(message.role, message.text) for message in found] == [("assistant", "Hi"), ("user", "And?")]
    with pytest.raises(BadRequest) as caught:
        read(input=[{"id": "msg_none"}])
    assert caught.value.status == 404


def test_tokens_are_counted_without_an_answer(responses):
    body = {"model": "gpt-x", "input": "one two three", "tools": [TOOL], "personality": "friendly"}
    found = responses.input_tokens(body)
    assert found["object"] == "response.input_tokens"
    assert found["input_tokens"] > responses.input_tokens({"input": "one"})["input_tokens"] > 0
    assert responses.input_tokens({})["input_tokens"] >= 0


def test_counting_takes_no_field_that_only_an_answer_needs(responses):
    with pytest.raises(BadRequest) as caught:
        responses.input_tokens({"stream": True})
    assert caught.value.code == "unknown_parameter"
