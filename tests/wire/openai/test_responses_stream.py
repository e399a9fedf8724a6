"""A response's events are those that the official SDK knows, in order and numbered; the last holds the whole body."""

from __future__ import annotations

import itertools

import pytest
from openai.types.responses import ResponseStreamEvent
from pydantic import TypeAdapter

from squall.call import Reply, ToolUse
from squall.wire.openai.responses import Responses

EVENT = TypeAdapter(ResponseStreamEvent)
PARALLEL = Reply(calls=(ToolUse("left", '{"city": "Paris", "unit": "C"}'), ToolUse("right", '{"city": "Rome"}')))


@pytest.fixture
def streamed(data_of, over_the_wire, stamp):
    def make(reply, *, interleaved=False, **fields):
        responses = Responses()
        request = responses.read({"model": "gpt-x", "input": "Hello", "stream": True, **fields}, {})
        frames = responses.frames(request, reply, stamp, interleaved=interleaved)
        assert frames.terminal == 1
        data = data_of(frames)
        assert [each["sequence_number"] for each in data] == list(range(len(data)))
        events = [EVENT.validate_python(each) for each in data]
        if not request.body.get("background"):
            assert data[-1]["response"] == over_the_wire(responses.whole(request, reply, stamp))
        return events

    return make


def kinds(events):
    """The types, runs of deltas as one."""
    return [kind.removeprefix("response.") for kind, _ in itertools.groupby(event.type for event in events)]


def test_a_text_opens_grows_and_closes(streamed):
    events = streamed(Reply("Good morning to you"))
    assert kinds(events) == [
        "created",
        "in_progress",
        "output_item.added",
        "content_part.added",
        "output_text.delta",
        "output_text.done",
        "content_part.done",
        "output_item.done",
        "completed",
    ]
    assert [event.delta for event in events if event.type.endswith("delta")] == ["Good", " morning", " to", " you"]
    assert (events[0].response.status, events[0].response.output, events[0].response.usage) == ("in_progress", [], None)
    assert events[2].item.status == "in_progress"
    assert events[-1].response.output_text == "Good morning to you"


def test_a_call_opens_with_its_name_and_its_arguments_follow_in_pieces(streamed):
    events = streamed(Reply(calls=(ToolUse("pay", "{}"),)))
    assert kinds(events)[2:-1] == [
        "output_item.added",
        "function_call_arguments.delta",
        "function_call_arguments.done",
        "output_item.done",
    ]
    assert (events[2].item.name, events[2].item.arguments) == ("pay", "")
    assert [event.delta for event in events if event.type.endswith("delta")] == ["{", "}"]
    assert events[-2].item.arguments == "{}"


def test_reasoning_and_a_refusal_have_events_of_their_own(streamed):
    events = streamed(Reply(reasoning="Is it right?", refusal="Not today."))
    assert kinds(events)[2:-1] == [
        "output_item.added",
        "reasoning_summary_part.added",
        "reasoning_summary_text.delta",
        "reasoning_summary_text.done",
        "reasoning_summary_part.done",
        "output_item.done",
        "output_item.added",
        "content_part.added",
        "refusal.delta",
        "refusal.done",
        "content_part.done",
        "output_item.done",
    ]
    assert "".join(event.delta for event in events if event.type == "response.refusal.delta") == "Not today."


def test_a_custom_tools_input_is_streamed(streamed):
    events = streamed(Reply(calls=(ToolUse("run", "print()"),)), tools=[{"type": "custom", "name": "run"}])
    assert "".join(event.delta for event in events if event.type.endswith("input.delta")) == "print()"
    assert events[-1].response.output[0].input == "print()"


def order(events):
    indexes = [event.output_index for event in events if hasattr(event, "output_index")]
    return [index for index, _ in itertools.groupby(indexes)]


def test_parallel_calls_come_one_after_another_unless_interleaved(streamed):
    assert order(streamed(PARALLEL)) == [0, 1]
    assert len(order(streamed(PARALLEL, interleaved=True))) > 2


def test_what_is_said_comes_before_interleaved_calls(streamed):
    events = streamed(Reply("So:", calls=PARALLEL.calls), interleaved=True)
    assert order(events)[:5] == [0, 1, 2, 1, 2]


def test_a_reply_that_was_cut_ends_incomplete(streamed):
    events = streamed(Reply("Once", finish="length"))
    assert events[-1].type == "response.incomplete"
    assert events[-1].response.incomplete_details.reason == "max_output_tokens"


def test_one_in_the_background_is_queued_first(streamed):
    events = streamed(Reply("Hi"), background=True)
    assert kinds(events)[:3] == ["created", "queued", "in_progress"]
    assert events[0].response.status == "queued"
    assert events[-1].response.status == "completed"
