"""Whatever JSON comes in is read, or refused as the provider refuses: nothing else ever happens."""

from __future__ import annotations

import contextlib
import copy
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types import EmbeddingCreateParams
from openai.types.chat.completion_create_params import CompletionCreateParamsBase
from openai.types.responses.input_token_count_params import InputTokenCountParams
from openai.types.responses.response_create_params import ResponseCreateParamsBase

from squall.call import BadRequest, Reply, ToolUse
from squall.wire.dialect import Stamp
from squall.wire.openai import chat_request, embeddings, fields, models, responses_request
from squall.wire.openai.chat import Chat
from squall.wire.openai.embeddings import Embeddings
from squall.wire.openai.errors import OpenAIShapes
from squall.wire.openai.responses import Responses

SCHEMA = {
    "type": "object",
    "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "object", "properties": {}}]}},
    "required": ["a"],
    "additionalProperties": False,
}
CALL = {"id": "c", "type": "function", "function": {"name": "pay", "arguments": "{}"}}
CHAT = {
    "model": "gpt-x",
    "messages": [
        {"role": "system", "content": "Be kind"},
        {
            "role": "user",
            "name": "me",
            "content": [
                {"type": "text", "text": "Hi"},
                {"type": "image_url", "image_url": {"url": "x", "detail": "low"}},
                {"type": "input_audio", "input_audio": {"data": "", "format": "wav"}},
                {"type": "file", "file": {"file_id": "f"}},
            ],
        },
        {"role": "assistant", "content": None, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c", "content": "paid"},
        {"role": "assistant", "function_call": {"name": "pay", "arguments": "{}"}},
        {"role": "function", "name": "pay", "content": "paid"},
    ],
    "tools": [
        {"type": "function", "function": {"name": "pay", "parameters": SCHEMA, "strict": False}},
        {"type": "custom", "custom": {"name": "run"}},
    ],
    "tool_choice": {
        "type": "allowed_tools",
        "allowed_tools": {"mode": "auto", "tools": [{"function": {"name": "pay"}}]},
    },
    "functions": [{"name": "pay", "parameters": SCHEMA}],
    "function_call": {"name": "pay"},
    "response_format": {"type": "json_schema", "json_schema": {"name": "a", "schema": SCHEMA}},
    "stop": ["x"],
    "metadata": {"k": "v"},
    "modalities": ["text"],
    "stream": True,
    "stream_options": {"include_usage": True},
    "n": 1,
    "store": True,
}
RESPONSES = {
    "model": "gpt-x",
    "instructions": "Be kind",
    "input": [
        {"role": "user", "content": [{"type": "input_text", "text": "Hi"}, {"type": "input_image", "image_url": "x"}]},
        {"type": "reasoning", "id": "rs", "summary": []},
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "x"}]},
        {"type": "function_call", "call_id": "c", "name": "pay", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "paid"},
        {"type": "custom_tool_call_output", "call_id": "d", "output": [{"type": "input_text", "text": "x"}]},
        {"role": "assistant", "content": "Done"},
    ],
    "tools": [{"type": "function", "name": "pay", "parameters": SCHEMA}, {"type": "custom", "name": "run"}],
    "tool_choice": {"type": "allowed_tools", "mode": "auto", "tools": [{"type": "function", "name": "pay"}]},
    "text": {"format": {"type": "json_schema", "name": "a", "schema": SCHEMA}, "verbosity": "low"},
    "reasoning": {"effort": "low", "summary": "auto"},
    "include": ["reasoning.encrypted_content"],
    "conversation": {"id": "c"},
    "prompt": {"id": "p"},
    "metadata": {"k": "v"},
    "stream_options": {},
    "stream": False,
    "background": False,
}
EMBEDDINGS = {"model": "embed", "input": ["x"], "dimensions": 2, "encoding_format": "float"}

anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from(["type", "name", "a"]), inner, max_size=2)
    ),
    max_leaves=3,
)


def places(value, path=()):
    """The paths to all that a body holds."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in inner:
        yield (*path, key)
        yield from places(each, (*path, key))


@st.composite
def nearly(draw, body):
    """A body in which a few things have been replaced, or taken out."""
    body = copy.deepcopy(body)
    for _ in range(draw(st.integers(1, 3))):
        *way, last = draw(st.sampled_from(list(places(body))))
        holder = body
        for key in way:
            holder = holder[key]
        if draw(st.booleans()):
            holder[last] = draw(anything)
        else:
            del holder[last]
        if not body:
            break
    return body


def refusal(problem):
    assert problem.status in {400, 404}
    assert problem.message.endswith(".")
    return msgspec.json.encode(OpenAIShapes().error(problem, "req_1"))


def outcome(dialect, body, reply):
    """Reads a body, and writes a reply if it is taken; what comes of it has to be JSON."""
    try:
        request = dialect.read(body, {})
    except BadRequest as problem:
        return refusal(problem)
    stamp = Stamp(1, lambda prefix, place=0: f"{prefix}{place}")
    if request.stream:
        return b"".join(dialect.frames(request, reply, stamp).events)
    return msgspec.json.encode(dialect.whole(request, reply, stamp))


REPLY = Reply("Hi", calls=(ToolUse("pay"),))


@pytest.mark.parametrize(
    ("make", "body", "reply"),
    [(Chat, CHAT, REPLY), (Responses, RESPONSES, REPLY), (Embeddings, EMBEDDINGS, [[0.5, 1.0]])],
    ids=["chat", "responses", "embeddings"],
)
def test_the_body_that_is_spoiled_below_is_itself_a_good_one(make, body, reply):
    assert make().read(copy.deepcopy(body), {})
    assert outcome(make(), body, reply)


many = settings(max_examples=100, deadline=None)


@many
@given(nearly(CHAT))
def test_a_chat_is_read_or_refused(body):
    assert outcome(Chat(), body, REPLY)


@many
@given(nearly(RESPONSES))
def test_a_response_is_read_or_refused(body):
    responses = Responses()
    assert outcome(responses, body, REPLY)
    for kept in list(responses.kept._kept):
        assert msgspec.json.encode(responses.kept.input_items(kept, {}))
        assert responses.kept.messages(kept)


@many
@given(nearly(RESPONSES))
def test_tokens_are_counted_or_the_body_is_refused(body):
    counted = {name: value for name, value in body.items() if name not in {"include", "prompt", "metadata", "stream"}}
    with contextlib.suppress(BadRequest):
        assert Responses().input_tokens(counted)["input_tokens"] >= 0


@many
@given(nearly(EMBEDDINGS))
def test_a_request_for_vectors_is_read_or_refused(body):
    assert outcome(Embeddings(), body, [[0.5, 1.0]])


@given(st.text())
def test_any_name_of_a_model_can_be_refused(name):
    assert models.not_found(name).status == 404


TABLES: dict[str, tuple[fields.Table, Any]] = {
    "CreateChatCompletionRequest": (chat_request.FIELDS, CompletionCreateParamsBase),
    "CreateResponse": (responses_request.FIELDS, ResponseCreateParamsBase),
    "CreateEmbeddingRequest": (embeddings.FIELDS, EmbeddingCreateParams),
    "TokenCountsBody": (responses_request.COUNTED, InputTokenCountParams),
}


@pytest.mark.parametrize("name", TABLES)
def test_every_field_that_the_sdk_sends_is_known(name):
    table, params = TABLES[name]
    assert params.__required_keys__ | params.__optional_keys__ <= table.keys()


@pytest.mark.parametrize("name", TABLES)
def test_every_field_that_is_published_is_known(schemas, name):
    table, _ = TABLES[name]
    found = fields_of(schemas, schemas[name])
    assert found
    assert found.keys() <= table.keys()


@pytest.mark.parametrize("name", TABLES)
def test_numbers_have_the_bounds_that_are_published(schemas, name):
    table, _ = TABLES[name]
    found = fields_of(schemas, schemas[name])
    bounds = {field: bounds_of(schemas, schema) for field, schema in found.items()}
    for field, (least, most) in bounds.items():
        for edge, step in ((least, -1), (most, 1)):
            if isinstance(edge, int | float):  # a seed has edges that are rounded, in words of YAML 1.2
                table[field](edge, field)
                with pytest.raises(BadRequest) as refused:
                    table[field](edge + step, field)
                assert refused.value.param == field
    assert name == "TokenCountsBody" or any(least is not None for least, _ in bounds.values())


def fields_of(schemas, schema):
    """The properties of an object, those of all that it is made of among them."""
    if "$ref" in schema:
        return fields_of(schemas, schemas[schema["$ref"].rpartition("/")[2]])
    found = dict(schema.get("properties", {}))
    for word in ("allOf", "anyOf", "oneOf"):
        for each in schema.get(word, ()):
            found |= fields_of(schemas, each)
    return found


def bounds_of(schemas, schema):
    """The least and the most that a number may be; None where nothing is said."""
    if "$ref" in schema:
        return bounds_of(schemas, schemas[schema["$ref"].rpartition("/")[2]])
    found = [(schema.get("minimum"), schema.get("maximum"))]
    found += [bounds_of(schemas, each) for word in ("allOf", "anyOf", "oneOf") for each in schema.get(word, ())]
    return tuple(next((edge[side] for edge in found if edge[side] is not None), None) for side in (0, 1))
