"""A small run that most tests of the trace use, told by a recorder whose clock moves half a second per event."""

from __future__ import annotations

from itertools import count

import pytest

from squall.trace import Recorder, Trace
from squall.trace.kinds import AgentFinal, Effected, Faulted, Mark, RunEnd, RunStart, ToolCall, ToolResult

PLAN = [
    {"kind": "timeout", "targets": ["payments.issue_refund"], "phase": "after", "nth": 1},
    {"kind": "http_503", "targets": ["orders.get_order"], "phase": "before", "times": 2},
    {"kind": "hang", "targets": ["orders.get_order"], "phase": "before", "probability": 0.1},
    {"kind": "missing_field", "targets": ["orders.get_order"], "phase": "after", "first": 1, "field": "total"},
]


def call(number, tool, **args):
    service = "payments" if tool == "issue_refund" else "orders"
    access = "write" if tool == "issue_refund" else "read"
    digest = f"{number:016x}"
    return ToolCall(call=number, tool=tool, target=f"{service}.{tool}", access=access, args=args, digest=digest, nth=1)


def story():
    refund = {"id": "1", "order": "7", "amount": 12.5}
    return [
        RunStart(
            squall="0.1.0",
            seed=7,
            run_index=3,
            clock="virtual",
            start="2025-06-01T00:00:00Z",
            world="shop",
            world_digest="ab" * 32,
            plan_digest="cd" * 32,
            plan=PLAN,
            limits={"calls": 1000, "seconds": 3600.0},
        ),
        call(1, "get_order", order="7"),
        Faulted(call=1, rule=3, fault="missing_field", target="orders.get_order", phase="after", fired=False),
        ToolResult(call=1, ok=True, form="value", result={"id": "7", "status": "delivered"}, latency_ms=0.5),
        Mark(name="decided", data={"amount": 12.5, "who": "Żaneta 🐈"}),
        call(2, "issue_refund", order="7", amount=12.5),
        Effected(rev=1, table="payments.refund", op="insert", id="1", after=refund, call=2),
        Faulted(call=2, rule=0, fault="timeout", target="payments.issue_refund", phase="after", fired=True),
        ToolResult(call=2, ok=False, form="timeout", error="timed out", latency_ms=60000.0, world_rev=1),
        call(3, "issue_refund", order="7", amount=12.5),
        Effected(rev=2, table="payments.refund", op="insert", id="2", after=refund | {"id": "2"}, call=3),
        ToolResult(call=3, ok=True, form="value", result=refund | {"id": "2"}, world_rev=2),
        Effected(rev=3, table="orders.order", op="update", id="7", before={"n": 1}, after={"n": 2}, late=True),
        AgentFinal(answer="refunded"),
    ]


def recorder_of(events, run="test_refund#3"):
    ticks = count()
    recorder = Recorder(run, lambda: next(ticks) / 2)
    for event in events:
        recorder.record(event)
    return recorder


@pytest.fixture
def recorder():
    """The story, told to its end."""
    recorder = recorder_of(story())
    recorder.end(lambda number: RunEnd(status="failed", count=number, not_fired=[1, 3]))
    return recorder


@pytest.fixture
def trace(recorder):
    return Trace(recorder.lines, recorder)


@pytest.fixture
def live():
    """A recorder to which nothing has been told."""
    return recorder_of([])


@pytest.fixture
def recorded():
    """Record one payload in a mark, and give the whole trace's lines."""

    def record(payload):
        recorder = recorder_of([Mark(name="payload", data={"it": payload})])
        recorder.end(lambda number: RunEnd(status="passed", count=number))
        return recorder.lines

    return record
