"""What each action does to the delivery of a reply, as lists of steps."""

from __future__ import annotations

import json

import pytest

from squall.models import Script, call, calls, say
from squall.wire.http.steps import Fin, Reset, Send, Wait
from tests.wire.provider.conftest import last

CHUNKS = 5  # of the stream that says "hello there": role, words, finish, [DONE]


def stream_rule(kind, **params):
    return {"model.chat": [{"kind": kind, **params}]}


def waits(answered):
    return [step.seconds for step in answered.steps if isinstance(step, Wait)]


def told(client):
    return [each.told() for each in last(client).happened]


@pytest.fixture
def events(client):
    """The stream as it is in calm weather."""
    return client.chat(stream=True).events


def test_a_calm_body_is_one_step(client):
    answered = client.chat()
    assert answered.kinds == ["Send"]
    assert (answered.status, int(answered.headers["content-length"])) == (200, len(answered.body))
    assert last(client).complete
    assert last(client).ok


def test_a_calm_stream_is_one_step_in_chunks_with_an_end(client):
    answered = client.chat(stream=True)
    assert answered.kinds == ["Send"]
    assert answered.headers["transfer-encoding"] == "chunked"
    assert answered.events[-2:] == [b"data: [DONE]\n\n", b""]
    assert last(client).complete


def test_slow_chunks_wait_before_each_chunk_but_the_first(made, events):
    client = made(stream_rule("slow_chunks", seconds=2, first=1))
    answered = client.chat(stream=True)
    assert answered.events == events
    assert waits(answered) == [2.0] * (len(events) - 2)
    assert told(client) == [
        {"fault": "slow_chunks", "rule": 0, "chunks": len(events) - 2, "seconds": 2.0 * (len(events) - 2)}
    ]


def test_a_slow_body_comes_in_pieces(made, client):
    slow = made(stream_rule("slow_body", seconds=1, pieces=4, first=1))
    answered = slow.chat()
    assert answered.kinds == ["Send", *["Wait", "Send"] * 4]
    assert answered.json["choices"] == client.chat().json["choices"]
    assert told(slow) == [{"fault": "slow_body", "rule": 0, "pieces": 4, "seconds": 4.0}]
    assert last(slow).complete


@pytest.mark.parametrize(("how", "step"), [("fin", Fin), ("reset", Reset)])
def test_a_stream_is_broken_off_after_so_many_chunks(made, events, how, step):
    client = made(stream_rule("stream_disconnect", how=how, after=2, first=1))
    answered = client.chat(stream=True)
    assert answered.events == events[:2]
    assert isinstance(answered.steps[-1], step)
    assert (last(client).complete, last(client).injected, last(client).disconnected) == (False, True, False)
    assert told(client)[0]["after"] == 2


def test_a_stalled_stream_goes_on_to_its_end(made, events):
    client = made(stream_rule("stream_stall", after=2, seconds=30, first=1))
    answered = client.chat(stream=True)
    assert answered.events == events
    assert waits(answered) == [30.0]
    assert told(client) == [{"fault": "stream_stall", "rule": 0, "after": 2, "seconds": 30.0}]
    assert (last(client).complete, last(client).injected) == (True, False)


def test_a_clean_end_comes_before_the_terminal_events(made, events):
    client = made(stream_rule("clean_eof", first=1))
    answered = client.chat(stream=True)
    assert answered.events[-1] == b""
    assert answered.events[:-1] == events[: len(answered.events) - 1]
    assert b"[DONE]" not in answered.body
    assert (last(client).complete, last(client).ok, last(client).injected) == (False, False, False)


def test_pings_alone_come_and_then_the_connection_is_closed(made, events):
    client = made(stream_rule("ping_only", after=1, beat=10, signs=3, first=1))
    answered = client.chat(stream=True)
    assert waits(answered) == [10.0] * 3
    assert answered.events[0] == events[0]
    assert len(set(answered.events[1:])) == 1
    assert isinstance(answered.steps[-1], Fin)
    assert told(client) == [{"fault": "ping_only", "rule": 0, "after": 1, "seconds": 30.0, "pings": 3}]
    assert (last(client).complete, last(client).injected, last(client).disconnected) == (False, True, False)


def test_pings_go_on_for_ever_until_the_client_goes(made):
    client = made(stream_rule("ping_only", after=1, beat=10, first=1))
    client.chat(stream=True, gone_at=102)
    assert told(client)[0]["pings"] == 49
    assert (last(client).injected, last(client).disconnected) == (False, True)


@pytest.mark.parametrize(("beat", "signs"), [(10, 1), (2, 1), (0.5, 4), (0.7, 3)])
def test_pings_without_an_end_end_where_time_is_real(made, beat, signs):
    client = made(stream_rule("ping_only", after=1, beat=beat, first=1))
    client.in_real_time = True
    answered = client.chat(stream=True)
    assert waits(answered) == [beat] * signs
    assert isinstance(answered.steps[-1], Fin)
    assert (last(client).complete, last(client).injected) == (False, True)


def test_pings_whose_number_is_stated_all_come_where_time_is_real(made):
    client = made(stream_rule("ping_only", after=1, beat=10, signs=3, first=1))
    client.in_real_time = True
    assert waits(client.chat(stream=True)) == [10.0] * 3


def test_an_error_event_is_the_last_of_a_stream(made):
    client = made(stream_rule("error_event", first=1))
    answered = client.chat(stream=True)
    assert answered.events[-1] == b""
    assert "error" in json.loads(answered.events[-2].removeprefix(b"data: "))
    assert (last(client).ok, last(client).status) == (False, 200)
    assert last(client).error


def test_a_malformed_event_is_cut_inside_and_the_stream_goes_on(made, events):
    client = made(stream_rule("malformed_event", first=1))
    answered = client.chat(stream=True)
    assert len(answered.events) == len(events)
    differing = [new for new, old in zip(answered.events, events, strict=True) if new != old]
    assert len(differing) == 1
    with pytest.raises(json.JSONDecodeError):
        json.loads(differing[0].removeprefix(b"data: "))
    assert differing[0].endswith(b"\n\n")


@pytest.mark.parametrize("kind", ["stream_disconnect", "stream_stall"])
def test_a_place_that_a_stream_never_gets_to_records_no_fault(made, events, kind):
    client = made(stream_rule(kind, after=50, first=1))
    assert client.chat(stream=True).events == events
    assert told(client) == []
    assert client.provider.side.fired == {}
    assert client.provider.side.spared == {0: f"the stream had no more than {len(events) - 1} chunks"}


def test_a_fault_of_streams_spares_a_body(made, client):
    rigged = made(stream_rule("stream_disconnect", after=2, first=1))
    assert rigged.chat().json == client.chat().json
    assert rigged.provider.side.spared == {0: "the reply was no stream"}


def test_a_short_body_promises_more_than_it_sends(made):
    client = made(stream_rule("short_body", first=1))
    answered = client.chat()
    promised = int(answered.headers["content-length"])
    assert 0 < len(answered.body) < promised
    assert isinstance(answered.steps[-1], Fin)
    assert told(client) == [{"fault": "short_body", "rule": 0, "bytes": len(answered.body), "promised": promised}]
    assert (last(client).complete, last(client).injected) == (False, True)


def test_a_short_body_has_not_happened_to_a_client_that_went_before(made):
    client = made(
        {
            "model.chat": [
                {"kind": "short_body", "first": 1},
                {"kind": "slow_body", "seconds": 5, "pieces": 3, "first": 1},
            ]
        }
    )
    client.chat(gone_at=2)
    assert [each["fault"] for each in told(client)] == ["slow_body"]
    assert (last(client).injected, last(client).disconnected) == (False, True)


def test_interleaved_deltas_need_two_calls(made):
    both = Script(calls(call("look", at=1), call("look", at=2)))
    client = made(stream_rule("interleaved_deltas", first=1), brain=both)
    client.chat(stream=True)
    assert [each["fault"] for each in told(client)] == ["interleaved_deltas"]
    other = made(stream_rule("interleaved_deltas", first=1))
    other.chat(stream=True)
    assert told(other) == []
    assert other.provider.side.spared == {0: "the reply has no two calls"}


def test_every_byte_of_text_arrives_wherever_chunks_are_cut(made):
    text = "Żółw 🐢 — naïve"
    client = made(stream_rule("slow_body", seconds=0.1, pieces=37, first=1), brain=Script(say(text)))
    answered = client.chat(stream=True)
    whole = b"".join(answered.events).decode()
    data = [json.loads(line[6:]) for line in whole.splitlines() if line.startswith("data: {")]
    assert "".join(each["choices"][0]["delta"].get("content") or "" for each in data) == text
    assert all(isinstance(step, Send | Wait) for step in answered.steps)
