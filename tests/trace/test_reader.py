from __future__ import annotations

import pytest

from squall.errors import Position, UsageError
from squall.trace import Trace, verify
from squall.trace.kinds import Attempt, Faulted, Mark, ModelReply, RunEnd, RunStart, ToolCall, ToolResult


@pytest.fixture
def empty():
    return Trace([])


def test_the_entries_stand_in_order_with_their_envelopes(trace):
    entries = trace.entries()
    assert [e.envelope.seq for e in entries] == list(range(1, 16)) == list(range(1, len(trace) + 1))
    assert list(trace) == entries
    assert isinstance(entries[0].event, RunStart)
    assert isinstance(entries[-1].event, RunEnd)


def test_a_live_trace_answers_with_what_has_been_recorded_so_far(live):
    trace = Trace(live.lines, live)
    assert trace.count("get_order") == 0
    live.record(ToolCall(call=1, tool="get_order", target="o.get_order", access="read", args={}, digest="0", nth=1))
    assert trace.count("get_order") == 1
    assert trace.find("get_order").ok is None
    live.record(ToolResult(call=1, ok=True, form="value", result=5))
    assert trace.find("get_order").result == 5


def test_the_start_tells_what_the_run_was_built_from(trace):
    assert (trace.start.seed, trace.start.run_index, trace.start.world) == (7, 3, "shop")


def test_a_trace_without_a_start_says_so(empty, live):
    with pytest.raises(LookupError, match="does not begin with run_start"):
        empty.start
    live.record(Mark(name="m"))
    with pytest.raises(LookupError, match="does not begin with run_start"):
        Trace(live.lines).start


def test_the_status_is_known_once_the_run_has_ended(trace, empty, live):
    assert trace.status == "failed"
    assert empty.status is None
    live.record(Mark(name="m"))
    assert Trace(live.lines).status is None


def test_a_call_is_joined_with_its_result_its_fault_and_its_effects(trace):
    view = trace.calls()[1]
    assert view[:6] == ("test_refund#3", 6, 2.5, "issue_refund", {"order": "7", "amount": 12.5}, "timeout")
    assert (view.phase, view.latency_ms, view.ok, view.result, view.error) == (
        "after",
        60000.0,
        False,
        None,
        "timed out",
    )
    assert view.world_rev == 1
    assert [effect.id for effect in view.effects] == ["1"]
    assert view.label == "issue_refund!timeout(after)"


def test_a_fault_that_was_only_reached_is_not_the_calls(trace):
    view = trace.calls()[0]
    assert (view.fault, view.phase, view.label, view.effects) == (None, None, "get_order", ())


def test_a_call_without_a_result_is_neither_ok_nor_failed(live):
    live.record(ToolCall(call=1, tool="t", target="s.t", access="read", args={}, digest="0", nth=1))
    trace = Trace(live.lines)
    (view,) = trace.calls()
    assert (view.ok, view.result, view.error, view.latency_ms, view.world_rev) == (None, None, None, 0.0, 0)
    assert trace.failures() == []


def test_calls_that_overlap_are_paired_by_their_numbers(live):
    for number, tool in ((1, "a"), (2, "b"), (3, "a")):
        live.record(ToolCall(call=number, tool=tool, target=f"s.{tool}", access="read", args={}, digest="0", nth=1))
    for number in (3, 1, 2):
        live.record(ToolResult(call=number, ok=True, form="value", result=number))
    trace = Trace(live.lines)
    assert [(view.tool, view.result) for view in trace.calls()] == [("a", 1), ("b", 2), ("a", 3)]
    assert [view.result for view in trace.calls_to("a")] == [1, 3]


def test_calls_are_found_by_their_tool(trace):
    assert [view.seq for view in trace.calls_to("issue_refund")] == [6, 10]
    assert trace.calls_to("refund") == []


def test_calls_are_counted_by_their_tool(trace):
    assert (trace.count("issue_refund"), trace.count("get_order"), trace.count("refund")) == (2, 1, 0)


def test_faults_are_those_that_fired_unless_all_are_asked_for(trace):
    assert [fault.fault for fault in trace.faults()] == ["timeout"]
    assert [fault.fault for fault in trace.faults(fired=False)] == ["missing_field", "timeout"]


def test_failures_are_the_calls_that_did_not_get_their_answer(trace):
    assert [(view.tool, view.error) for view in trace.failures()] == [("issue_refund", "timed out")]


def test_effects_are_all_changes_of_the_world_whoever_made_them(trace):
    assert [(effect.rev, effect.op, effect.call, effect.late) for effect in trace.effects()] == [
        (1, "insert", 2, False),
        (2, "insert", 3, False),
        (3, "update", None, True),
    ]


def test_not_fired_are_the_counting_rules_that_stayed_away_and_no_drawn_one(trace):
    assert [rule["kind"] for rule in trace.not_fired()] == ["http_503", "missing_field"]


@pytest.mark.parametrize("count", ["nth", "times", "first", "every"])
@pytest.mark.parametrize("fired", [True, False])
def test_every_way_of_counting_is_expected_to_fire(live, count, fired):
    rule = {"kind": "hang", count: 1}
    live.record(RunStart(squall="0", seed=0, run_index=0, clock="virtual", start="", plan=[rule]))
    live.record(Faulted(call=1, rule=0, fault="hang", target="s.t", phase="after", fired=fired))
    assert Trace(live.lines).not_fired() == ([] if fired else [rule])


@pytest.mark.parametrize(
    "rule", [{"kind": "hang", "nth": None}, {"kind": "hang", "probability": 0.5}, {"kind": "hang"}]
)
def test_a_rule_that_does_not_count_may_stay_away(live, rule):
    live.record(RunStart(squall="0", seed=0, run_index=0, clock="virtual", start="", plan=[rule]))
    assert Trace(live.lines).not_fired() == []


def test_a_trace_without_a_plan_has_nothing_that_did_not_fire(empty, live):
    assert empty.not_fired() == []
    live.record(Mark(name="m"))
    assert Trace(live.lines).not_fired() == []


def test_the_line_tells_the_run_to_people(trace, empty):
    assert trace.line() == "get_order → issue_refund!timeout(after) → issue_refund"
    assert empty.line() == "(no tool call)"


def asked(live, call, attempt, *faults, ok=True, answered=True):
    live.record(Attempt(call=call, attempt=attempt, number=1, target="model.chat", digest="0", nth=1))
    for fault in faults:
        live.record(Faulted(call=call, rule=0, fault=fault, target="model.chat", phase="after", fired=True))
    if answered:
        told = [{"fault": fault, "rule": 0} for fault in faults]
        live.record(ModelReply(call=call, attempt=attempt, ok=ok, faults=told))


def test_the_line_has_what_went_wrong_with_requests_to_models_beside_the_calls(live):
    asked(live, 1, 1, "http_503", ok=False)
    asked(live, 1, 2, "truncated_arguments", "clean_eof")
    live.record(ToolCall(call=2, tool="get_order", target="o.get_order", access="read", args={}, digest="0", nth=1))
    asked(live, 3, 1)
    asked(live, 4, 1, ok=False)
    asked(live, 5, 1, "ping_only", answered=False)
    assert Trace(live.lines, live).line().split(" → ") == [
        "model.chat!http_503",
        "model.chat!truncated_arguments+clean_eof",
        "get_order",
        "model.chat✗",
        "model.chat!ping_only",
    ]


def test_the_line_of_a_run_without_calls_has_all_its_requests_to_models(live):
    asked(live, 1, 1, "clean_eof")
    asked(live, 1, 2)
    asked(live, 2, 1)
    assert Trace(live.lines, live).line() == "model.chat!clean_eof → model.chat ×2"


def line_of(live, tools):
    for number, tool in enumerate(tools, start=1):
        live.record(ToolCall(call=number, tool=tool, target=f"o.{tool}", access="read", args={}, digest="0", nth=1))
    return Trace(live.lines, live).line()


def test_the_line_folds_what_repeats(live):
    assert line_of(live, ["get_order"] * 1000) == "get_order ×1000"


def test_the_line_of_a_long_run_is_cut_in_the_middle(live):
    tools = [f"tool_{number}" for number in range(100)]
    assert line_of(live, tools).split(" → ") == [*tools[:20], "(70 more)", *tools[-10:]]


def test_the_only_call_to_a_tool_is_found(trace):
    assert trace.find("get_order").args == {"order": "7"}


@pytest.mark.parametrize(
    ("tool", "message"),
    [
        ("issue_refund", "'issue_refund' was called 2 times in this run"),
        ("isue_refund", "'isue_refund' was called 0 times in this run; did you mean 'issue_refund'?"),
        ("zebra", "'zebra' was called 0 times in this run"),
    ],
)
def test_none_or_several_calls_to_a_tool_are_told(trace, tool, message):
    with pytest.raises(LookupError) as caught:
        trace.find(tool)
    assert caught.value.args == (message,)


def test_a_mark_is_recorded_and_found_again(live):
    trace = Trace(live.lines, live)
    trace.mark("decided", amount=5)
    assert [e.event for e in trace] == [Mark(name="decided", data={"amount": 5})]


def test_what_an_agent_said_at_last_is_recorded_and_found_again(live):
    trace = Trace(live.lines, live)
    assert trace.finals() == []
    trace.final("refunded")
    trace.final({"ok": True})
    assert [final.answer for final in trace.finals()] == ["refunded", {"ok": True}]


@pytest.mark.parametrize("record", [lambda trace: trace.mark("decided"), lambda trace: trace.final("refunded")])
def test_a_trace_that_is_not_recorded_takes_nothing_in(trace, record):
    with pytest.raises(UsageError, match="not being recorded"):
        record(Trace(trace.lines))


def test_a_written_trace_verifies_and_loads_as_it_was(trace, tmp_path):
    path = tmp_path / "t.jsonl"
    trace.write(path)
    assert verify(path).events == len(trace)
    loaded = Trace.load(path)
    assert loaded.lines == trace.lines
    assert loaded.entries() == trace.entries()
    assert loaded.line() == trace.line()


@pytest.mark.parametrize("name", ["none.jsonl", "."])
def test_a_file_that_cannot_be_read_is_named_with_the_reason(tmp_path, name):
    with pytest.raises(UsageError) as caught:
        Trace.load(tmp_path / name)
    assert f"cannot read the trace {str(tmp_path / name)!r}: " in str(caught.value)
    assert "Name a file that Trace.write or --squall-traces wrote." in str(caught.value)


@pytest.mark.parametrize(
    "data", [b'{"name": "other"}\n', b"prose\n", bytes(range(256)), b"\x89PNG\r\n\x1a\n", b"\n", b'{"hash":"\xff"}']
)
def test_a_file_of_another_kind_is_told_with_its_line_when_it_is_asked(tmp_path, data):
    path = tmp_path / "t.jsonl"
    path.write_bytes(data)
    with pytest.raises(UsageError, match="this is not an event of trace format 1") as caught:
        Trace.load(path).calls()
    assert caught.value.problems[0].at == Position(str(path), 1)


def test_a_bad_line_in_the_midst_is_told_with_its_number(trace, tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"\n".join([*trace.lines[:4], b'{"hash":', *trace.lines[4:]]))
    with pytest.raises(UsageError) as caught:
        Trace.load(path).entries()
    assert str(caught.value).startswith(f"{path}:5: this is not an event of trace format 1: ")


def test_a_line_nested_beyond_reading_is_told_like_any_other(trace, tmp_path):
    path = tmp_path / "t.jsonl"
    deep = trace.lines[4].replace(b'"amount":12.5', b'"amount":' + b"[" * 10**5 + b"]" * 10**5)
    path.write_bytes(deep)
    with pytest.raises(UsageError, match="this is not an event of trace format 1"):
        Trace.load(path).entries()


def test_an_empty_file_is_a_trace_in_which_nothing_happened(tmp_path):
    path = tmp_path / "t.jsonl"
    path.write_bytes(b"")
    loaded = Trace.load(path)
    assert (len(loaded), loaded.calls(), loaded.faults(), loaded.effects(), loaded.status) == (0, [], [], [], None)
