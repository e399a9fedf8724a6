"""One attempt on the model wire: what is recorded of it."""

from __future__ import annotations

import pytest

from squall.call import Reply, ToolUse, Usage
from squall.trace.kinds import ModelReply
from tests.interpose.test_asking import ask, clock, first, side

__all__ = ["clock", "side"]


def replies(side):
    return [event for _, event in side.trace if isinstance(event, ModelReply)]


def answered(exchange, status=200, **more):
    exchange.status, exchange.complete = status, True
    for name, value in more.items():
        setattr(exchange, name, value)
    exchange.finish()
    return exchange


@pytest.mark.parametrize(
    ("came", "ok"),
    [
        ({}, True),
        ({"status": 399}, True),
        ({"status": 400}, False),
        ({"status": None}, False),
        ({"error": "busy"}, False),
        ({"complete": False}, False),
    ],
)
def test_ok_is_a_whole_answer_that_is_no_error(side, came, ok):
    calm = side()
    assert answered(ask(calm), **came).ok is ok
    assert replies(calm)[0].ok is ok


def test_a_reply_is_recorded_in_neutral_words(side, clock):
    calm = side()
    exchange = ask(calm)
    clock.advance(1.25)
    reply = Reply("yes", calls=(ToolUse("look", '{"at":1}'),), finish="tool_calls", usage=Usage(3, 4))
    answered(exchange, reply=reply, response={"id": "x"})
    (recorded,) = replies(calm)
    assert (recorded.call, recorded.attempt, recorded.status, recorded.text) == (1, 1, 200, "yes")
    assert recorded.calls == [{"name": "look", "arguments": '{"at":1}'}]
    assert (recorded.finish, recorded.usage, recorded.response) == (
        "tool_calls",
        {"input": 3, "output": 4},
        {"id": "x"},
    )
    assert recorded.latency_ms == 1250.0


def test_what_is_measured_after_a_fault_fired_is_in_its_record(side):
    rigged = side(first(1, "latency", seconds=3))
    exchange = ask(rigged)
    measured = exchange.fired("wait")
    measured["seconds"] = 3.0
    answered(exchange)
    assert [each.told() for each in exchange.happened] == [{"fault": "latency", "rule": 0, "seconds": 3.0}]
    assert replies(rigged)[0].faults == [{"fault": "latency", "rule": 0, "seconds": 3.0}]
    assert (rigged.fired, rigged.spared) == ({0: 1}, {})
    assert [(each.rule, each.call, each.fired) for each in rigged.trace.faults()] == [(0, 1, True)]


@pytest.mark.parametrize(
    ("came", "why"),
    [
        ({}, "there was no reply"),
        ({"disconnected": True}, "the client had gone"),
        ({"retry_after": 3.0}, "a rate limit came first"),
        ({"spared": {"answer": "the reply was a stream"}}, "the reply was a stream"),
    ],
)
def test_a_fault_that_was_reached_and_did_not_happen_says_why(side, came, why):
    rigged = side(first(1))
    answered(ask(rigged), **came)
    assert (rigged.fired, rigged.spared) == ({}, {0: why})
    assert [(each.rule, each.fired) for each in rigged.trace.faults(fired=False)] == [(0, False)]
    assert replies(rigged)[0].faults == []


def test_another_fault_that_came_first_is_named(side):
    rigged = side(first(1), first(1, "length_cut"))
    exchange = ask(rigged)
    exchange.fired("answer")
    answered(exchange, status=503)
    assert rigged.spared == {1: "http_503 came first"}


def test_ids_are_the_same_in_every_run_and_differ_by_place_and_request(side):
    one, same, other = side(), side(), side(seed=1)
    exchange = ask(one)
    ids = [exchange.id("a"), exchange.id("b"), exchange.id("a", 1), exchange.id("a", "x", 1), ask(one).id("a")]
    assert len(set(ids)) == 5
    assert all(each[0] in "ab" and each[1:].isalnum() for each in ids)
    assert ask(same).id("a") == ids[0]
    assert ask(other).id("a") != ids[0]


def test_a_retry_follows_the_call_that_got_no_whole_answer(side):
    calm = side()
    failing, succeeding = ask(calm, retries=0), ask(calm, retries=0)
    answered(failing, status=503)
    answered(succeeding)
    assert ask(calm, retries=1).call == failing.call == 1


def test_a_client_that_left_before_the_end_may_try_again(side):
    calm = side()
    leaving, succeeding = ask(calm, retries=0), ask(calm, retries=0)
    answered(leaving, disconnected=True)
    answered(succeeding)
    assert ask(calm, retries=1).call == leaving.call


def test_nothing_is_recorded_where_no_trace_is(side):
    quiet = side(record=False)
    assert answered(ask(quiet)).ok
