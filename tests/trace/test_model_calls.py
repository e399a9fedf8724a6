"""Calls of models joined with their tries, and the lines of their kinds, pinned."""

from __future__ import annotations

from pathlib import Path

import pytest

from squall.trace import Trace, verify_lines
from squall.trace.kinds import Attempt, Faulted, ModelCall, ModelReply, RunEnd, RunStart
from tests.trace.conftest import recorder_of

GOLDEN = Path(__file__).parent / "golden" / "format1-model.jsonl"
HELLO, ANSWER, MORE = (
    {"role": role, "content": text} for role, text in (("user", "hi"), ("assistant", "yes"), ("user", "go"))
)
OFFERED = [{"type": "function", "function": {"name": "look"}}]
BUSY = {"fault": "http_503", "rule": 0}


def attempt(call, number, target="model.chat", **more):
    return Attempt(call=call, attempt=number, number=number, target=target, digest=f"{call:016x}", nth=1, **more)


def story():
    return [
        RunStart(squall="0.1.0", seed=7, run_index=3, clock="virtual", start="2025-06-01T00:00:00Z"),
        ModelCall(call=1, target="model.chat", model="m", messages=[HELLO], tools=OFFERED, asked={"temperature": 0.5}),
        attempt(1, 1, masked=["user"]),
        Faulted(call=1, rule=0, fault="http_503", target="model.chat", phase="before", fired=True),
        ModelReply(
            call=1, attempt=1, ok=False, status=503, error="busy", faults=[BUSY], latency_ms=1.5, response={"e": 1}
        ),
        attempt(1, 2),
        ModelReply(
            call=1,
            attempt=2,
            ok=True,
            status=200,
            text="yes",
            calls=[{"name": "look", "arguments": '{"at":"Żaneta 🐈"}'}],
            finish="tool_calls",
            usage={"input": 3, "output": 4},
            latency_ms=2.5,
        ),
        ModelCall(call=2, target="model.chat", model="m", stream=True, scope="s", continues=1, messages=[ANSWER, MORE]),
        attempt(2, 1, scope="s"),
        ModelReply(call=2, attempt=1, ok=False, complete=False, disconnected=True),
        ModelCall(call=4, target="model.messages", model="n", messages=[MORE], tools=[]),
        attempt(4, 1, "model.messages"),
    ]


@pytest.fixture
def recorder():
    recorder = recorder_of(story())
    recorder.end(lambda number: RunEnd(status="failed", count=number))
    return recorder


@pytest.fixture
def trace(recorder):
    return Trace(recorder.lines)


def test_the_lines_of_calls_of_models_are_pinned_byte_for_byte(recorder):
    assert b"".join(line + b"\n" for line in recorder.lines) == GOLDEN.read_bytes()


def test_the_pinned_trace_verifies_and_reads_back():
    assert verify_lines(GOLDEN.read_bytes().splitlines(keepends=True)).status == "failed"
    assert [call.model for call in Trace.load(GOLDEN).model_calls()] == ["m", "m", "n"]


def test_an_sdks_own_retries_are_attempts_of_one_call(trace):
    call = trace.model_calls()[0]
    assert [(each.attempt, each.status, each.ok, each.faults) for each in call.attempts] == [
        (1, 503, False, ("http_503",)),
        (2, 200, True, ()),
    ]
    assert [(each.seq, each.ts, each.latency_ms) for each in call.attempts] == [(3, 1.0, 1.5), (6, 2.5, 2.5)]


def test_a_call_says_what_its_last_try_came_to(trace):
    call = trace.model_calls()[0]
    assert (call.run, call.seq, call.ts, call.call, call.target) == ("test_refund#3", 2, 0.5, 1, "model.chat")
    assert (call.ok, call.status, call.error, call.text, call.finish) == (True, 200, None, "yes", "tool_calls")
    assert call.calls == ({"name": "look", "arguments": '{"at":"Żaneta 🐈"}'},)
    assert call.usage == {"input": 3, "output": 4}
    assert call.faults == ("http_503",)
    assert call.latency_ms == 2500.0  # from its arrival to the end of its last try


def test_a_call_that_continues_another_has_all_messages_and_the_tools_offered_before(trace):
    first, second, third = trace.model_calls()
    assert (first.messages, first.tools, first.asked) == ([HELLO], OFFERED, {"temperature": 0.5})
    assert (second.messages, second.tools, second.asked) == ([HELLO, ANSWER, MORE], OFFERED, {})
    assert (third.messages, third.tools) == ([MORE], [])


def test_a_client_that_went_away_is_told_from_one_that_still_waits(trace):
    _, gone, waiting = trace.model_calls()
    assert (gone.ok, gone.status, gone.attempts[0].disconnected, gone.attempts[0].complete) == (
        False,
        None,
        True,
        False,
    )
    assert (waiting.ok, waiting.status, waiting.attempts[0].ok) == (None, None, None)
    assert (gone.stream, gone.scope, waiting.stream, waiting.scope) == (True, "s", False, "")


def test_a_call_without_tries_has_what_was_recorded_of_it():
    lines = recorder_of([story()[1], ModelReply(call=1, attempt=1, ok=True, status=200, text="from elsewhere")]).lines
    (call,) = Trace(lines).model_calls()
    assert (call.attempts, call.ok, call.text) == ((), True, "from elsewhere")


def test_a_run_without_models_has_none():
    assert Trace([]).model_calls() == []


def test_a_run_in_a_line_has_every_try(trace):
    assert trace.line() == "model.chat!http_503 → model.chat → model.chat✗ → model.messages"
