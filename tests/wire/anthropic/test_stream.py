"""Streams: each event is one of the SDK's, and together they are the whole message."""

from __future__ import annotations

import json

import pytest
from anthropic.lib.streaming._messages import accumulate_event
from anthropic.types import RawMessageStreamEvent
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from squall.call import Reply, ToolUse, Usage
from squall.wire.anthropic.messages import Messages
from squall.wire.anthropic.stream import TERMINAL

ARGUMENTS = st.dictionaries(st.text(max_size=5), st.none() | st.integers(0, 9) | st.text(max_size=20), max_size=3)
TEXT = st.text(max_size=40)
CALLS = st.builds(
    ToolUse,
    st.from_regex(r"[a-z_]{1,9}", fullmatch=True),
    ARGUMENTS.map(json.dumps),
    st.none() | st.just("toolu_1"),
)
REPLIES = st.builds(
    Reply,
    text=st.none() | TEXT,
    calls=st.lists(CALLS, max_size=3).map(tuple),
    refusal=st.none() | TEXT,
    reasoning=st.none() | TEXT,
    finish=st.sampled_from([None, "stop", "length", "tool_calls", "content_filter", "refusal"]),
    usage=st.none() | st.just(Usage(10, 7, 4, 2)),
    stopped_by=st.none() | st.just("END"),
)
FROM_FIXTURES = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)


def parsed(frame):
    name, data, end, rest = frame.decode().split("\n")
    body = json.loads(data.removeprefix("data: "))
    assert (name, end, rest) == (f"event: {body['type']}", "", "")
    return body


def put_together(bodies, valid):
    message, buffers = None, dict[int, bytes]()
    for body in bodies:
        if body["type"] != "ping":
            found = valid(RawMessageStreamEvent, body)
            message = accumulate_event(event=found, current_snapshot=message, json_bufs=buffers)
    return message


@FROM_FIXTURES
@given(REPLIES, st.booleans())
def test_the_events_of_a_stream_put_together_are_the_whole_message(asked, stamp, valid, reply, interleaved):
    request, dialect = asked(stream=True), Messages()
    frames = dialect.frames(request, reply, stamp, interleaved=interleaved)
    message = put_together(map(parsed, frames.events), valid)
    whole = dialect.whole(request, reply, stamp)
    told = message.to_dict(exclude_unset=True)
    assert {**told, "stop_details": told.get("stop_details")} == whole


def stream(asked, stamp, reply, **how):
    frames = Messages().frames(asked(stream=True), reply, stamp, **how)
    return frames, [parsed(frame) for frame in frames.events]


def kinds(bodies):
    return [body["type"] for body in bodies]


def test_text_comes_word_by_word_between_a_ping_and_the_terminal_events(asked, stamp):
    frames, bodies = stream(asked, stamp, Reply(text="Good  morning, Anna"))
    assert kinds(bodies) == [
        "message_start",
        "ping",
        "content_block_start",
        *["content_block_delta"] * 3,
        "content_block_stop",
        "message_delta",
        "message_stop",
    ]
    assert [body["delta"]["text"] for body in bodies[3:6]] == ["Good", "  morning,", " Anna"]
    assert frames.terminal == TERMINAL == 2


def test_without_its_terminal_events_a_stream_is_a_message_that_nothing_says_has_ended(asked, stamp, valid):
    frames, bodies = stream(asked, stamp, Reply(text="All of it", calls=(ToolUse("pay", '{"to": "bob"}'),)))
    message = put_together(bodies[: -frames.terminal], valid)
    assert (message.content[0].text, message.content[1].input) == ("All of it", {"to": "bob"})
    assert message.stop_reason is None


def test_arguments_come_in_pieces_after_an_empty_one(asked, stamp):
    _, bodies = stream(asked, stamp, Reply(calls=(ToolUse("pay", "{}", "toolu_9"),)))
    pieces = [body["delta"]["partial_json"] for body in bodies if body["type"] == "content_block_delta"]
    assert pieces == ["", "{", "}"]
    assert bodies[2]["content_block"] == {"type": "tool_use", "id": "toolu_9", "name": "pay", "input": {}}


def test_cut_arguments_go_over_the_wire_as_they_are(asked, stamp, valid):
    _, bodies = stream(asked, stamp, Reply(calls=(ToolUse("pay", '{"to": "bob", "amount": 1'),)))
    pieces = "".join(body["delta"]["partial_json"] for body in bodies if body["type"] == "content_block_delta")
    assert pieces == '{"to": "bob", "amount": 1'


def test_deltas_of_parallel_calls_take_turns_when_they_are_interleaved(asked, stamp):
    calls = (ToolUse("a", '{"x": 1}'), ToolUse("b", '{"y": "a longer one"}'))
    _, bodies = stream(asked, stamp, Reply(text="So", calls=calls), interleaved=True)
    turns = [(body["type"], body["index"]) for body in bodies if body.get("index", 0) > 0]
    assert turns[:2] == [("content_block_start", 1), ("content_block_start", 2)]
    assert [index for kind, index in turns if kind == "content_block_delta"][:4] == [1, 2, 1, 2]
    assert turns[-2:] == [("content_block_stop", 1), ("content_block_stop", 2)]


@pytest.mark.parametrize(("display", "shown"), [("summarized", "Think first"), ("omitted", "")])
def test_reasoning_is_signed_and_left_out_where_the_request_omits_it(asked, stamp, valid, display, shown):
    request = asked(stream=True, thinking={"type": "adaptive", "display": display})
    frames = Messages().frames(request, Reply(text="Yes", reasoning="Think first"), stamp)
    block = put_together(map(parsed, frames.events), valid).content[0]
    assert (block.type, block.thinking) == ("thinking", shown)
    assert block.signature


def test_usage_begins_small_and_ends_with_the_sum(asked, stamp):
    _, bodies = stream(asked, stamp, Reply(text="Yes", usage=Usage(10, 7, 4)))
    assert bodies[0]["message"]["usage"]["output_tokens"] == 1
    usage = bodies[-2]["usage"]
    assert (usage["input_tokens"], usage["cache_read_input_tokens"], usage["output_tokens"]) == (6, 4, 7)
