"""Braintrust's rows of logs."""

from __future__ import annotations

from squall.trace.formats import load
from squall.trace.kinds import AgentFinal

TRACEBACK = 'Traceback (most recent call last):\n  File "x.py", line 1, in <module>\nRuntimeError: declined\n'
CALL = {"id": "c1", "type": "function", "function": {"name": "refund", "arguments": '{"order":"7"}'}}


def row(number, kind, *, parent=None, root="r", **more):
    return {
        "id": f"row {number}",
        "span_id": str(number),
        "root_span_id": root,
        "span_parents": parent and [parent],
        "span_attributes": {"type": kind, "name": "refund"},
        "metrics": {"start": 1_750_000_000.0 + number, "end": 1_750_000_000.5 + number, "prompt_tokens": 4},
        **more,
    }


ROWS = [
    row(2, "tool", parent="0", input={"order": "7"}, error=TRACEBACK),
    row(
        1,
        "llm",
        parent="0",
        input=[{"role": "user", "content": "Refund order 7"}],
        output=[
            {"message": {"role": "assistant", "content": None, "tool_calls": [CALL]}, "finish_reason": "tool_calls"}
        ],
        metadata={"model": "m", "tools": [{"type": "function"}], "user_id": "mia"},
    ),
    row(0, "task", input="Refund order 7", output="It failed."),
]


def test_requests_and_tools_of_a_run(read, look):
    trace = read(ROWS)
    assert look.kinds(trace) == ["model_call", "model_reply", "tool_call", "tool_result", "agent_final"]
    assert trace.entries()[1].event.data == {"format": "braintrust", "id": "r", "user": "mia"}
    (asked,), (reply,) = look.asked(trace), look.replies(trace)
    assert (asked.model, asked.tools) == ("m", [{"type": "function"}])
    assert reply.calls == [{"id": "c1", "name": "refund", "arguments": '{"order":"7"}'}]
    assert (reply.finish, reply.usage, reply.latency_ms) == ("tool_calls", {"input": 4}, 500.0)
    assert [(each.args, result.error) for each, result in zip(look.used(trace), look.results(trace), strict=True)] == [
        ({"order": "7"}, "RuntimeError: declined")
    ]
    assert look.of(trace, AgentFinal) == [AgentFinal(answer="It failed.")]


def test_rows_of_several_roots_are_several_runs(write):
    assert len(load(write([each | {"root_span_id": name} for each in ROWS for name in "ab"], lines=True))) == 2


def test_the_sample(shared, look):
    (trace,) = load(shared / "formats" / "braintrust_logs.json")
    assert [each.error for each in look.results(trace)] == ["RuntimeError: card declined"]
