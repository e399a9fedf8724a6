"""A stream's events are chunks as the official SDK knows them; put together they are the whole body."""

from __future__ import annotations

import itertools

from openai.types.chat import ChatCompletionChunk
from pydantic import TypeAdapter

from squall.call import ModelRequest, Reply, ToolUse, Usage
from squall.wire.openai.chat import Chat

CHUNK = TypeAdapter(ChatCompletionChunk)
chat = Chat()
PARALLEL = Reply(calls=(ToolUse("left", '{"city": "Paris", "unit": "C"}'), ToolUse("right", '{"city": "Rome"}')))


def streamed(data_of, reply, stamp, *, interleaved=False, **fields):
    request = ModelRequest("chat", "gpt-x", stream=True, **fields)
    frames = chat.frames(request, reply, stamp, interleaved=interleaved)
    data = data_of(frames)
    assert data[-1] == "[DONE]"
    return [CHUNK.validate_python(each, strict=True) for each in data[:-1]], frames.terminal, data


def test_the_role_comes_first_then_words_then_the_finish(data_of, stamp):
    chunks, terminal, _ = streamed(data_of, Reply("Good morning to you"), stamp)
    deltas = [chunk.choices[0].delta for chunk in chunks]
    assert (deltas[0].role, deltas[0].content) == ("assistant", "")
    assert [delta.content for delta in deltas[1:-1]] == ["Good", " morning", " to", " you"]
    assert [chunk.choices[0].finish_reason for chunk in chunks[-2:]] == [None, "stop"]
    assert terminal == 2
    assert len({chunk.id for chunk in chunks}) == 1


def test_usage_comes_after_the_finish_where_it_is_asked_for_and_is_null_before(data_of, stamp):
    chunks, terminal, data = streamed(data_of, Reply("Hi", usage=Usage(3, 4)), stamp, include_usage=True)
    assert chunks[-1].choices == []
    assert chunks[-1].usage.total_tokens == 7
    assert [each["usage"] for each in data[:-2]] == [None] * (len(chunks) - 1)
    assert terminal == 3


def test_usage_is_not_spoken_of_where_it_is_not_asked_for(data_of, stamp):
    _, _, data = streamed(data_of, Reply("Hi", usage=Usage(3, 4)), stamp)
    assert all("usage" not in each for each in data[:-1])


def test_a_call_begins_with_its_id_and_name_and_its_arguments_follow_in_pieces(data_of, stamp):
    chunks, _, _ = streamed(data_of, Reply(calls=(ToolUse("pay", "{}"),)), stamp)
    first, *rest = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or ()]
    assert (first.index, first.type, first.function.name, first.function.arguments) == (0, "function", "pay", "")
    assert first.id.startswith("call_")
    assert [(call.id, call.function.arguments) for call in rest] == [(None, "{"), (None, "}")]
    assert chunks[0].choices[0].delta.content is None
    assert chunks[-1].choices[0].finish_reason == "tool_calls"


def order(chunks):
    indexes = [call.index for chunk in chunks for call in chunk.choices[0].delta.tool_calls or ()]
    return [index for index, _ in itertools.groupby(indexes)]


def test_parallel_calls_come_one_after_another(data_of, stamp):
    assert order(streamed(data_of, PARALLEL, stamp)[0]) == [0, 1]


def test_interleaved_calls_take_turns(data_of, stamp):
    assert order(streamed(data_of, PARALLEL, stamp, interleaved=True)[0]) == [0, 1, 0, 1, 0, 1]


def test_a_function_call_is_streamed_in_the_form_of_its_time(data_of, stamp):
    chunks, _, _ = streamed(
        data_of, Reply(calls=(ToolUse("pay", '{"a":1}'),)), stamp, body={"functions": [{"name": "pay"}]}
    )
    deltas = [chunk.choices[0].delta.function_call for chunk in chunks if chunk.choices[0].delta.function_call]
    assert deltas[0].name == "pay"
    assert "".join(delta.arguments for delta in deltas) == '{"a":1}'
    assert chunks[-1].choices[0].finish_reason == "function_call"


def test_a_refusal_is_streamed_as_one(data_of, stamp):
    chunks, _, _ = streamed(data_of, Reply(refusal="Not today."), stamp)
    assert "".join(chunk.choices[0].delta.refusal or "" for chunk in chunks) == "Not today."
    assert all(not chunk.choices[0].delta.content for chunk in chunks)


def test_several_choices_come_one_after_another(data_of, stamp):
    chunks, terminal, _ = streamed(data_of, Reply("a b"), stamp, n=2)
    assert [chunk.choices[0].index for chunk in chunks] == [0, 0, 0, 0, 1, 1, 1, 1]
    assert [bool(chunk.choices[0].finish_reason) for chunk in chunks] == [False, False, False, True] * 2
    assert terminal == 2


def test_an_empty_text_is_a_role_and_a_finish(data_of, stamp):
    chunks, _, _ = streamed(data_of, Reply(""), stamp)
    assert len(chunks) == 2
