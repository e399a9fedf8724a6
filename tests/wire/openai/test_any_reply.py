"""Whatever a model says: its body and its stream are valid for the SDK and the published schema, and say the same."""

from __future__ import annotations

import base64
import json
import struct
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from openai.types import CreateEmbeddingResponse
from openai.types.chat import ChatCompletion, ChatCompletionChunk
from openai.types.responses import Response, ResponseStreamEvent
from pydantic import TypeAdapter

from squall.call import Reply, ToolUse, Usage
from squall.wire.dialect import Stamp
from squall.wire.openai import models
from squall.wire.openai.chat import Chat
from squall.wire.openai.embeddings import Embeddings
from squall.wire.openai.errors import OpenAIShapes
from squall.wire.openai.responses import Responses
from squall.wire.openai.stored import EXAMPLE, Completions

COMPLETION, CHUNK = TypeAdapter(ChatCompletion), TypeAdapter(ChatCompletionChunk)
RESPONSE, EVENT = TypeAdapter(Response), TypeAdapter(ResponseStreamEvent)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)
usages = st.builds(Usage, *[st.integers(0, 10**6)] * 4)
calls = st.builds(ToolUse, st.sampled_from(["pay", "wait", "run"]), texts, st.none() | st.text("abc_1", min_size=1))
replies = st.builds(
    Reply,
    text=st.none() | texts,
    calls=st.lists(calls, max_size=3).map(tuple),
    refusal=st.none() | texts,
    reasoning=st.none() | texts,
    finish=st.sampled_from([None, "stop", "length", "tool_calls", "content_filter", "refusal"]),
    usage=st.none() | usages,
)
tools = [
    {"type": "function", "name": "pay", "parameters": {"type": "object"}},
    {"type": "custom", "name": "run"},
    {"type": "web_search"},
]
in_chat = [{"type": "function", "function": {"name": name}} for name in ("pay", "wait", "run")]
thorough = settings(max_examples=100, deadline=None)
light = settings(max_examples=25, deadline=None)


def a_stamp():
    return Stamp(1748736000, lambda prefix, place=0: f"{prefix}{place:024d}")


def chatted(reply, over_the_wire, data_of, *, n, usage, by_functions, interleaved):
    offered = {"functions": [{"name": "pay"}]} if by_functions else {"tools": in_chat}
    body = {"model": "gpt-x", "messages": [{"role": "user", "content": "Hi"}], "n": n, **offered}
    chat = Chat()
    whole = over_the_wire(chat.whole(chat.read(body, {}), reply, a_stamp()))
    request = chat.read({**body, "stream": True, "stream_options": {"include_usage": usage}}, {})
    return whole, data_of(chat.frames(request, reply, a_stamp(), interleaved=interleaved))


def put_together(chunks):
    """The messages that a client makes of a stream, by the index of their choice."""
    choices: dict[int, dict[str, Any]] = {}
    for choice in (choice for chunk in chunks for choice in chunk["choices"]):
        delta = choice["delta"]
        said = choices.setdefault(choice["index"], {"calls": {}, "finish": None, **dict.fromkeys(PARTS)})
        for name in PARTS:
            if delta.get(name) is not None:
                said[name] = (said[name] or "") + delta[name]
        legacy = [{"index": "legacy", "function": delta["function_call"]}] if "function_call" in delta else []
        for call in delta.get("tool_calls", legacy):
            kept = said["calls"].setdefault(call["index"], {"id": call.get("id"), "name": None, "arguments": ""})
            kept["name"] = kept["name"] or call["function"].get("name")
            kept["arguments"] += call["function"]["arguments"]
        said["finish"] = said["finish"] or choice["finish_reason"]
    return choices


PARTS = ("content", "refusal")


def told(whole):
    """The same of a whole body."""
    found = {}
    for choice in whole["choices"]:
        message = choice["message"]
        of_tools = [{"id": call["id"], **call["function"]} for call in message.get("tool_calls", ())]
        if "function_call" in message:
            of_tools = [{"id": None, **message["function_call"]}]
        keys = ["legacy"] if "function_call" in message else range(len(of_tools))
        found[choice["index"]] = {
            "calls": dict(zip(keys, of_tools, strict=True)),
            "finish": choice["finish_reason"],
            **{name: message[name] for name in PARTS},
        }
    return found


chats = given(
    reply=replies,
    n=st.integers(1, 3),
    usage=st.booleans(),
    by_functions=st.booleans(),
    interleaved=st.booleans(),
)


@thorough
@chats
def test_a_completion_says_the_same_whole_and_streamed(over_the_wire, data_of, reply, **how):
    whole, data = chatted(reply, over_the_wire, data_of, **how)
    COMPLETION.validate_python(whole, strict=True)
    for chunk in data[:-1]:
        CHUNK.validate_python(chunk, strict=True)
    assert put_together(data[:-1]) == told(whole)
    assert {chunk["id"] for chunk in data[:-1]} == {whole["id"]}
    if how["usage"]:
        assert data[-2]["usage"] == whole["usage"]
    assert whole["usage"]["total_tokens"] == whole["usage"]["prompt_tokens"] + whole["usage"]["completion_tokens"]


@light
@chats
def test_a_completion_is_as_published(published, over_the_wire, data_of, reply, **how):
    whole, data = chatted(reply, over_the_wire, data_of, **how)
    published("CreateChatCompletionResponse", whole)
    for chunk in data[:-1]:
        published("CreateChatCompletionStreamResponse", chunk)


def responded(reply, over_the_wire, data_of, *, interleaved, include):
    responses = Responses()
    body = {"model": "gpt-x", "input": "Hi", "tools": tools, "include": include}
    whole = over_the_wire(responses.whole(responses.read(body, {}), reply, a_stamp()))
    request = responses.read({**body, "stream": True}, {})
    return whole, data_of(responses.frames(request, reply, a_stamp(), interleaved=interleaved))


def grown(events):
    """The items that a client makes of a stream's deltas alone, by their place."""
    items = {}
    for event in events:
        place = event.get("output_index")
        kind = event["type"].removeprefix("response.")
        if kind == "output_item.added":
            items[place] = {"type": event["item"]["type"], "texts": {}}
        elif kind.endswith(".delta"):
            key = event.get("content_index", event.get("summary_index"))
            items[place]["texts"][key] = items[place]["texts"].get(key, "") + event["delta"]
    return items


def texts_of(item):
    """The texts of a whole item, by the place of their part, empty ones left out."""
    if "arguments" in item or "input" in item:
        found: dict[Any, str] = {None: item.get("arguments", item.get("input"))}
    else:
        parts = item["summary"] if item["type"] == "reasoning" else item["content"]
        found = {place: part.get("text", part.get("refusal")) for place, part in enumerate(parts)}
    return {place: text for place, text in found.items() if text}


answers = given(
    reply=replies, interleaved=st.booleans(), include=st.sampled_from([[], ["reasoning.encrypted_content"]])
)


@thorough
@answers
def test_a_response_says_the_same_whole_and_streamed(over_the_wire, data_of, reply, **how):
    whole, data = responded(reply, over_the_wire, data_of, **how)
    RESPONSE.validate_python(whole, strict=True)
    for event in data:
        EVENT.validate_python(event, strict=True)
    assert data[-1]["response"] == whole
    assert grown(data) == {
        place: {"type": item["type"], "texts": texts_of(item)} for place, item in enumerate(whole["output"])
    }
    done = {event["output_index"]: event["item"] for event in data if event["type"] == "response.output_item.done"}
    assert [done[place] for place in sorted(done)] == whole["output"]
    assert [event["sequence_number"] for event in data] == list(range(len(data)))


@light
@answers
def test_a_response_is_as_published(published, over_the_wire, data_of, reply, **how):
    whole, data = responded(reply, over_the_wire, data_of, **how)
    published("Response", whole)
    for event in data:
        published(NAMES[event["type"].removeprefix("response.")], event)


NAMES = {
    "created": "ResponseCreatedEvent",
    "in_progress": "ResponseInProgressEvent",
    "completed": "ResponseCompletedEvent",
    "incomplete": "ResponseIncompleteEvent",
    "output_item.added": "ResponseOutputItemAddedEvent",
    "output_item.done": "ResponseOutputItemDoneEvent",
    "content_part.added": "ResponseContentPartAddedEvent",
    "content_part.done": "ResponseContentPartDoneEvent",
    "output_text.delta": "ResponseTextDeltaEvent",
    "output_text.done": "ResponseTextDoneEvent",
    "refusal.delta": "ResponseRefusalDeltaEvent",
    "refusal.done": "ResponseRefusalDoneEvent",
    "function_call_arguments.delta": "ResponseFunctionCallArgumentsDeltaEvent",
    "function_call_arguments.done": "ResponseFunctionCallArgumentsDoneEvent",
    "custom_tool_call_input.delta": "ResponseCustomToolCallInputDeltaEvent",
    "custom_tool_call_input.done": "ResponseCustomToolCallInputDoneEvent",
    "reasoning_summary_part.added": "ResponseReasoningSummaryPartAddedEvent",
    "reasoning_summary_part.done": "ResponseReasoningSummaryPartDoneEvent",
    "reasoning_summary_text.delta": "ResponseReasoningSummaryTextDeltaEvent",
    "reasoning_summary_text.done": "ResponseReasoningSummaryTextDoneEvent",
}


@given(vectors=st.lists(st.lists(st.floats(width=32, allow_nan=False, allow_infinity=False), min_size=1), min_size=1))
def test_vectors_are_the_same_as_numbers_and_in_base64(over_the_wire, vectors):
    embeddings = Embeddings()
    body = {"model": "embed", "input": ["x"] * len(vectors)}
    numbers, packed = (
        over_the_wire(embeddings.whole(embeddings.read({**body, "encoding_format": form}, {}), vectors, a_stamp()))
        for form in ("float", "base64")
    )
    TypeAdapter(CreateEmbeddingResponse).validate_python(numbers)
    unpacked = [base64.b64decode(each["embedding"]) for each in packed["data"]]
    assert [list(struct.unpack(f"<{len(data) // 4}f", data)) for data in unpacked] == [
        each["embedding"] for each in numbers["data"]
    ]


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 503])
def test_errors_are_as_published(published, status):
    shapes = OpenAIShapes()
    problem = models.not_found("gpt-9")
    problem.status = status
    published("ErrorResponse", shapes.error(problem, "req_1"))
    for endpoint, name in (("chat", "ErrorResponse"), ("responses", "ResponseErrorEvent")):
        data = shapes.error_event(problem, "req_1", endpoint).split(b"data: ")[1]
        published(name, json.loads(data))


def test_all_else_is_as_published(published, over_the_wire):
    completions, responses = Completions(), Responses()
    published("ListModelsResponse", models.listing(["mock-chat"]))
    published("Model", models.one("mock-chat"))
    published("DeleteModelResponse", models.deleted("ft:gpt-4o:me::1"))
    published("CreateChatCompletionResponse", completions.retrieve(EXAMPLE))
    published("ChatCompletionDeleted", completions.delete(EXAMPLE))
    published("ChatCompletionList", completions.listing({}))
    published("ChatCompletionMessageList", completions.messages(EXAMPLE, {}))
    embeddings = Embeddings()
    request = embeddings.read({"model": "embed", "input": "x"}, {})
    published("CreateEmbeddingResponse", over_the_wire(embeddings.whole(request, [[0.5]], a_stamp())))
    items = [
        {"role": "user", "content": "Pay"},
        {"type": "function_call", "call_id": "c", "name": "pay", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c", "output": "paid"},
        {"role": "assistant", "content": "Paid"},
    ]
    asked = responses.read({"model": "gpt-x", "input": items, "background": True}, {})
    body = responses.whole(asked, Reply("Hi"), a_stamp())
    published("Response", over_the_wire(body))
    published("Response", over_the_wire(responses.kept.retrieve(body["id"])))
    published("ResponseItemList", over_the_wire(responses.kept.input_items(body["id"], {})))
    published("TokenCountsResource", responses.input_tokens({"input": "Hello"}))
