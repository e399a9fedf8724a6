"""What answers say, whatever is in them: no body and no stream of events breaks the reading."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.capture.replies import PATHS, READERS, target_at
from squall.capture.replies.events import EventText, events_in
from squall.capture.replies.messages import Messages

WORDS = st.sampled_from(
    """choices message delta content text tool_calls function name arguments index id usage finish_reason refusal type
    tool_use input output error status incomplete_details reason content_block item response stop_reason data""".split()
)
KINDS = st.sampled_from(
    """message_start content_block_start content_block_delta message_delta message_stop response.completed
    response.output_item.added response.output_text.delta error text_delta input_json_delta message
    function_call""".split()
)
LEAVES = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5) | KINDS
JSON = st.recursive(
    LEAVES, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=5), max_leaves=25
)
BODIES = st.dictionaries(WORDS, JSON, max_size=6)


@pytest.mark.parametrize("target", READERS)
@given(body=BODIES)
def test_any_body_can_be_read(target, body):
    said = READERS[target].whole(body)
    msgspec.json.encode(said)


@pytest.mark.parametrize("target", READERS)
@given(bodies=st.lists(BODIES, max_size=6), ends=st.sampled_from(["\n\n", "\r\n\r\n", "\n"]))
def test_any_stream_can_be_read(target, bodies, ends):
    content = "".join(f"event: x\ndata: {msgspec.json.encode(body).decode()}{ends}" for body in bodies)
    said = READERS[target].streamed(events_in(content.encode()))
    msgspec.json.encode(said)


ODD = {"a": 1}
"""What stands where a place or a type should."""


@pytest.mark.parametrize(
    ("target", "body"),
    [
        ("model.chat", {"choices": [{"delta": {"tool_calls": [{"index": ODD, "function": {"name": "pay"}}]}}]}),
        ("model.messages", {"type": ODD}),
        ("model.messages", {"type": "content_block_start", "index": ODD, "content_block": {"type": "text"}}),
        ("model.messages", {"type": "content_block_delta", "index": ODD, "delta": {"type": "text_delta", "text": "x"}}),
        ("model.responses", {"type": "response.output_item.added", "output_index": ODD, "item": {}}),
        ("model.responses", {"type": "response.output_text.delta", "output_index": ODD, "delta": "x"}),
    ],
)
def test_a_place_that_can_be_none_is_none(target, body):
    said = READERS[target].streamed([EventText("", body)])
    msgspec.json.encode(said)


@given(st.binary(max_size=200))
def test_any_bytes_are_events_or_none(content):
    list(events_in(content))


def test_an_event_that_has_not_come_whole_is_none():
    assert [event.data for event in events_in(b'data: {"a":1}\n\ndata: {"b":2}\n')] == [{"a": 1}]


def test_lines_of_data_belong_together():
    assert [event.data for event in events_in(b'event: x\r\ndata: {"a":\r\ndata: 1}\r\n\r\n: ping\r\n\r\n')] == [
        {"a": 1}
    ]


def test_tools_that_the_provider_runs_are_no_calls_but_stay_in_the_body():
    start = b'data: {"type":"content_block_start","index":0,"content_block":%b}\n\n'
    hosted = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
    piece = {"type": "input_json_delta", "partial_json": '{"q":1}'}
    delta = b'data: {"type":"content_block_delta","index":0,"delta":%b}\n\n' % msgspec.json.encode(piece)
    said = Messages().streamed(
        events_in(start % msgspec.json.encode(hosted) + delta + b'data: {"type":"message_stop"}\n\n')
    )
    assert (said.calls, said.ended) == ([], True)
    assert said.response["content"] == [{**hosted, "input": {"q": 1}}]


def test_paths_are_known_wherever_a_provider_lives():
    assert {target_at(f"/v1{path}") for path in PATHS} == set(READERS)
    assert target_at("/openai/deployments/m/chat/completions") == "model.chat"
    assert target_at("/v1/models") is None
