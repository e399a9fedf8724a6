"""Langfuse: attributes on spans, and observations as its API hands them out."""

from __future__ import annotations

import json

import pytest

from squall.trace.formats import load
from squall.trace.kinds import AgentFinal

USER = {"role": "user", "content": "Refund order 7"}
CALL = {"id": "c1", "type": "function", "function": {"name": "refund", "arguments": '{"order":"7"}'}}
ASKS = {"role": "assistant", "content": None, "tool_calls": [CALL]}
PREFIX = "langfuse.observation."


def observation(number, kind, **more):
    return {
        "id": str(number),
        "traceId": "t",
        "type": kind,
        "name": "refund",
        "startTime": f"2025-06-01T00:00:0{number}Z",
        "endTime": f"2025-06-01T00:00:0{number}.5Z",
        **more,
    }


OBSERVED = [
    observation(
        2, "TOOL", input={"order": "7"}, output=None, level="ERROR", statusMessage="declined", parentObservationId="0"
    ),
    observation(
        1, "GENERATION", input=[USER], output=ASKS, model="m", usage={"input": 4, "output": 2}, parentObservationId="0"
    ),
    observation(0, "AGENT", output="It failed."),
]


@pytest.mark.parametrize(
    "file",
    [OBSERVED, {"data": OBSERVED, "meta": {"page": 1}}, {"id": "t", "userId": "mia", "observations": OBSERVED}],
    ids=["a list", "a page", "a trace"],
)
def test_observations(read, look, file):
    trace = read(file)
    assert look.kinds(trace) == ["model_call", "model_reply", "tool_call", "tool_result", "agent_final"]
    assert trace.entries()[1].event.data.get("user") == ("mia" if "userId" in file else None)
    (asked,), (reply,) = look.asked(trace), look.replies(trace)
    assert (asked.model, asked.messages) == ("m", [USER])
    assert (reply.calls, reply.usage) == (
        [{"id": "c1", "name": "refund", "arguments": '{"order":"7"}'}],
        {"input": 4, "output": 2},
    )
    assert [(each.args, result.error) for each, result in zip(look.used(trace), look.results(trace), strict=True)] == [
        ({"order": "7"}, "declined")
    ]
    assert look.of(trace, AgentFinal) == [AgentFinal(answer="It failed.")]


def test_several_traces_are_several_runs(write):
    assert len(load(write([each | {"traceId": name} for each in OBSERVED for name in "ab"]))) == 2


def test_attributes_on_spans(read, look, span, otlp):
    request = {"messages": [USER], "tools": [{"type": "function", "function": {"name": "refund"}}]}
    trace = read(
        otlp(
            span(
                1,
                {
                    PREFIX + "type": "generation",
                    PREFIX + "input": json.dumps(request),
                    PREFIX + "output": json.dumps(ASKS),
                    PREFIX + "model.name": "m",
                    PREFIX + "usage_details": '{"input": 4}',
                    "langfuse.user.id": "mia",
                },
            ),
            span(
                2,
                {
                    PREFIX + "type": "tool",
                    PREFIX + "input": '{"order": "7"}',
                    PREFIX + "level": "ERROR",
                    PREFIX + "status_message": "declined",
                },
                name="refund",
            ),
        )
    )
    (asked,), (reply,), (result,) = look.asked(trace), look.replies(trace), look.results(trace)
    assert (asked.messages, asked.tools, asked.model) == ([USER], request["tools"], "m")
    assert (reply.usage, result.error) == ({"input": 4}, "declined")
    assert trace.entries()[1].event.data["user"] == "mia"
