"""An answer of somebody else's is read as far as faults need it, and no byte of it is lost."""

from __future__ import annotations

import json

import httpx2 as httpx
import pytest

from squall.call import Reply, ToolUse, Usage
from squall.runs.given import given_by
from squall.wire.dialect import Frames

STREAM = {"content-type": "text/event-stream"}


def chunk(delta, finish=None, **more):
    return b"data: " + json.dumps({"choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}).encode()


def frames_of(content: bytes, target: str = "model.chat") -> Frames:
    frames = given_by(httpx.Response(200, headers=STREAM, content=content), target).frames
    assert frames is not None
    return frames


def test_a_body_says_what_it_says():
    use = {"id": "call_7", "type": "function", "function": {"name": "refund", "arguments": "{}"}}
    choice = {"index": 0, "message": {"content": "so", "tool_calls": [use]}, "finish_reason": "tool_calls"}
    body = {"choices": [choice], "usage": {"prompt_tokens": 3, "completion_tokens": 4}}
    given = given_by(httpx.Response(200, json=body), "model.chat")
    reply = Reply(text="so", calls=(ToolUse("refund", "{}", "call_7"),), finish="tool_calls", usage=Usage(3, 4))
    assert (given.read(), given.frames) == (reply, None)


@pytest.mark.parametrize("body", [b"no JSON", b"[]", b'{"error": {"message": "no"}}', b"{}"])
def test_what_is_no_answer_says_nothing(body):
    assert given_by(httpx.Response(200, content=body), "model.chat").read() is None


def test_a_refusal_is_one():
    message = {"content": None, "refusal": "I will not."}
    given = given_by(
        httpx.Response(200, json={"choices": [{"message": message, "finish_reason": "stop"}]}), "model.chat"
    )
    assert given.read() == Reply(refusal="I will not.", finish="refusal")


def test_an_event_whose_type_is_none_ends_nothing():
    frames = frames_of(b'data: {"type": {"a": 1}}\n\ndata: [DONE]\n\n')
    assert (len(frames.events), frames.terminal) == (2, 1)


@pytest.mark.parametrize("gap", [b"\n\n", b"\r\n\r\n"])
def test_the_events_of_a_stream_are_its_bytes_and_those_from_the_finish_on_are_terminal(gap):
    told = [chunk({"content": "so"}), chunk({"content": " be it"}), chunk({}, "stop"), b"data: [DONE]"]
    content = gap.join([*told, b""])
    given = given_by(httpx.Response(200, headers=STREAM, content=content), "model.chat")
    frames = frames_of(content)
    assert b"".join(frames.events) == content
    assert (len(frames.events), frames.terminal) == (4, 2)
    assert given.read() == Reply(text="so be it", finish="stop")


@pytest.mark.parametrize(
    ("target", "told", "terminal"),
    [
        ("model.messages", [{"type": "message_start"}, {"type": "message_delta"}, {"type": "message_stop"}], 2),
        ("model.responses", [{"type": "response.created"}, {"type": "response.completed"}], 1),
        ("model.responses", [{"type": "response.created"}, {"type": "response.output_text.delta"}], 0),
    ],
)
def test_each_provider_ends_in_its_own_way(target, told, terminal):
    content = b"".join(b"data: " + json.dumps(each).encode() + b"\n\n" for each in told)
    assert frames_of(content, target).terminal == terminal


def test_a_stream_that_breaks_off_keeps_its_rest():
    content = chunk({"content": "so"}) + b"\n\ndata: [DO"
    assert b"".join(frames_of(content).events) == content


def test_headers_are_kept_but_for_those_that_tell_how_the_body_came():
    headers = {"X-Mine": "yes", "content-length": "2", "transfer-encoding": "identity", "connection": "close"}
    given = given_by(httpx.Response(200, headers=headers, content=b"{}"), "model.chat")
    assert given.headers == {"x-mine": "yes"}
