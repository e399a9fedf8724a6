"""What other processes of a run tell, as events of that run."""

from __future__ import annotations

from squall.runs.elsewhere import told
from squall.trace import Recorder, Trace
from squall.trace.kinds import Effected, Faulted, RunEnd, RunStart, ToolCall, ToolResult


def process(*tools):
    """The trace of a process in which these tools were called, and each call wrote a row."""
    recorder = Recorder("shop#0", lambda: 0.0)
    recorder.record(RunStart(squall="0", seed=0, run_index=0, clock="wall", start="2025-06-01T00:00:00Z"))
    recorder.record(
        Faulted(call=0, rule=0, fault="paged_tools", target="session.list_tools", phase="before", fired=True)
    )
    for number, tool in enumerate(tools, start=1):
        recorder.record(ToolCall(call=number, tool=tool, target=tool, access="write", args={}, digest="", nth=1))
        recorder.record(Effected(rev=number, table="t", op="insert", id=str(number), call=number))
        recorder.record(ToolResult(call=number, ok=True, form="value", result=tool))
    recorder.record(Effected(rev=len(tools) + 1, table="t", op="insert", id="x"))
    recorder.end(lambda count: RunEnd(status="passed", count=count))
    return Trace(recorder.lines)


def test_calls_of_each_process_go_on_from_those_before():
    events = list(told([process("a", "b"), process("c")], calls=4))
    assert [event.call for event in events if isinstance(event, ToolCall)] == [5, 6, 7]
    assert [(event.call, event.result) for event in events if isinstance(event, ToolResult)] == [
        (5, "a"),
        (6, "b"),
        (7, "c"),
    ]


def test_what_is_no_call_stays_none():
    events = list(told([process("a"), process()], calls=4))
    assert [event.call for event in events if isinstance(event, Effected)] == [5, None, None]
    assert [event.call for event in events if isinstance(event, Faulted)] == [0, 0]


def test_how_a_process_began_and_ended_is_its_own_affair():
    assert not any(isinstance(event, RunStart | RunEnd) for event in told([process("a")], calls=0))


def test_a_call_of_one_process_has_none_of_the_effects_of_another():
    recorder = Recorder("shop#0", lambda: 0.0)
    for event in told([process("a"), process("b")], calls=0):
        recorder.record(event)
    views = Trace(recorder.lines).calls()
    assert [(view.tool, view.result, len(view.effects)) for view in views] == [("a", "a", 1), ("b", "b", 1)]
