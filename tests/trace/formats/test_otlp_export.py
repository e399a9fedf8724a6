"""Traces written as OTLP/JSON: by the conventions, and back as they were."""

from __future__ import annotations

import json
import stat

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.errors import UsageError
from squall.trace import Recorder, Trace
from squall.trace.formats import export_otlp, load, load_otlp
from squall.trace.kinds import (
    AgentFinal,
    Attempt,
    Effected,
    Faulted,
    Mark,
    ModelCall,
    ModelReply,
    RunEnd,
    RunStart,
    ToolCall,
    ToolResult,
)

CALLS = [{"id": "c1", "name": "refund", "arguments": '{"order":"7"}'}]
START = RunStart(squall="0", seed=0, run_index=0, clock="virtual", start="2025-06-01T00:00:00Z")
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
BLOCK = st.fixed_dictionaries(
    {"type": st.sampled_from(["text", "tool_use", "tool_result", "image"]), "text": st.text(max_size=5)}
)
MESSAGE = st.one_of(
    st.fixed_dictionaries({"role": st.sampled_from(["user", "system", "assistant"]), "content": st.text(max_size=8)}),
    st.fixed_dictionaries(
        {"role": st.just("tool"), "tool_call_id": st.text(max_size=3), "content": st.text(max_size=8) | JSON}
    ),
    st.fixed_dictionaries({"role": st.just("user"), "content": st.lists(BLOCK, max_size=2)}),
    st.fixed_dictionaries(
        {
            "role": st.just("assistant"),
            "content": st.none(),
            "tool_calls": st.just(
                [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}]
            ),
        }
    ),
    st.fixed_dictionaries({"type": st.just("function_call_output"), "call_id": st.just("c"), "output": JSON}),
    JSON,
)
NUMBER = st.integers(1, 4)
EVENT = st.one_of(
    st.builds(
        ModelCall,
        call=NUMBER,
        target=st.sampled_from(["model.chat", "model.messages", "model.responses"]),
        model=st.text(max_size=4),
        continues=st.none() | NUMBER,
        messages=st.lists(MESSAGE, max_size=3) | JSON,
        tools=st.none() | st.lists(JSON, max_size=2) | JSON,
        asked=st.dictionaries(st.text(max_size=4), JSON, max_size=2),
    ),
    st.builds(
        ModelReply,
        call=NUMBER,
        attempt=NUMBER,
        ok=st.booleans(),
        status=st.none() | st.just(429),
        text=st.none() | st.text(max_size=8),
        calls=st.just([])
        | st.just(CALLS)
        | st.lists(st.dictionaries(st.text(max_size=4), JSON, max_size=3), max_size=2),
        finish=st.none() | st.sampled_from(["stop", "odd"]),
        error=st.none() | st.text(max_size=6),
        response=JSON,
    ),
    st.builds(
        ToolCall,
        call=NUMBER,
        tool=st.text(max_size=4),
        target=st.just("x.y"),
        access=st.just("read"),
        args=JSON,
        digest=st.just(""),
        nth=NUMBER,
    ),
    st.builds(
        ToolResult,
        call=NUMBER,
        ok=st.booleans(),
        form=st.just("value"),
        result=JSON,
        error=st.none() | st.text(max_size=6),
    ),
    st.builds(Mark, name=st.text(max_size=4), data=st.dictionaries(st.text(max_size=4), JSON, max_size=2)),
    st.builds(AgentFinal, answer=JSON, error=st.none() | st.text(max_size=5)),
)


def recorded(events, name="a test#0", times=None):
    now = [0.0]
    recorder = Recorder(name, lambda: now[0])
    for place, event in enumerate(events):
        now[0] = place * 0.1 if times is None else times[place]
        recorder.record(event)
    return Trace(recorder.lines)


STORY = recorded(
    [
        START,
        ModelCall(
            call=1,
            target="model.chat",
            model="m",
            messages=[{"role": "user", "content": "Refund order 7"}],
            tools=[{"type": "function"}],
        ),
        Attempt(call=1, attempt=1, number=1, target="model.chat", digest="d", nth=1),
        ModelReply(call=1, attempt=1, ok=True, calls=CALLS, finish="tool_calls", usage={"input": 4, "output": 2}),
        ToolCall(call=2, tool="refund", target="pay.refund", access="write", args={"order": "7"}, digest="d", nth=1),
        Faulted(call=2, rule=0, fault="timeout", target="pay.refund", phase="after", fired=True),
        Effected(rev=1, table="refund", op="insert", id=1, call=2),
        ToolResult(call=2, ok=False, form="timeout", error="timeout: no reply"),
        ModelCall(
            call=3,
            target="model.chat",
            model="m",
            continues=1,
            messages=[{"role": "tool", "tool_call_id": "c1", "content": "no reply"}],
        ),
        ModelReply(call=3, attempt=1, ok=True, text="It failed.", finish="stop"),
        AgentFinal(answer="It failed."),
        RunEnd(status="passed", count=12),
    ]
)


def spans(path):
    return json.loads(path.read_text())["resourceSpans"][0]["scopeSpans"][0]["spans"]


def named(span):
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


def test_spans_say_by_the_conventions_what_happened(tmp_path):
    path = tmp_path / "t.json"
    export_otlp([STORY], path)
    first, tool, second, root = spans(path)
    assert [each["name"] for each in (first, tool, second, root)] == [
        "chat m",
        "execute_tool refund",
        "chat m",
        "invoke_agent a test#0",
    ]
    assert {each.get("parentSpanId") for each in (first, tool, second)} == {root["spanId"]}
    assert len({each["traceId"] for each in (first, tool, second, root)}) == 1
    about = named(second)
    assert json.loads(about["gen_ai.input.messages"]) == [
        {"role": "user", "parts": [{"type": "text", "content": "Refund order 7"}]},
        {"role": "tool", "parts": [{"type": "tool_call_response", "id": "c1", "response": "no reply"}]},
    ]
    assert json.loads(named(first)["gen_ai.output.messages"]) == [
        {
            "role": "assistant",
            "parts": [{"type": "tool_call", "id": "c1", "name": "refund", "arguments": {"order": "7"}}],
            "finish_reason": "tool_calls",
        }
    ]
    assert json.loads(about["gen_ai.tool.definitions"]) == [{"type": "function"}]
    assert named(first)["gen_ai.usage.input_tokens"] == "4"
    assert (tool["status"], named(tool)["error.type"]) == ({"code": 2, "message": "timeout: no reply"}, "timeout")
    assert int(tool["startTimeUnixNano"]) == 1_748_736_000_400_000_000


def test_what_the_conventions_have_no_name_for_comes_back_too(tmp_path):
    export_otlp([STORY], tmp_path / "t.json")
    (back,) = load_otlp(tmp_path / "t.json")
    assert list(back.lines) == list(STORY.lines)


def test_other_readers_of_the_conventions_find_the_same_story_without_our_attributes(tmp_path, write, look):
    export_otlp([STORY], tmp_path / "t.json")
    file = json.loads((tmp_path / "t.json").read_text())
    for span in file["resourceSpans"][0]["scopeSpans"][0]["spans"]:
        span["attributes"] = [each for each in span["attributes"] if not each["key"].startswith("squall.")]
        span["events"] = []
    (back,) = load(write(file))
    assert [(each.continues, each.messages) for each in look.asked(back)] == [
        (each.continues, each.messages) for each in look.asked(STORY)
    ]
    assert [(each.text, each.calls) for each in look.replies(back)] == [
        (each.text, each.calls) for each in look.replies(STORY)
    ]
    assert [each.args for each in look.used(back)] == [{"order": "7"}]


@given(events=st.lists(EVENT, max_size=8), times=st.lists(st.floats(0, 1e6), min_size=8, max_size=8))
def test_whatever_a_trace_holds_comes_back_byte_by_byte(events, times, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "export.json"
    trace = recorded([START, *events], times=[0.0, *sorted(times)])
    export_otlp([trace], path)
    (back,) = load_otlp(path)
    assert list(back.lines) == list(trace.lines)


def test_several_runs_in_one_file_stay_apart_though_they_have_one_name(tmp_path):
    runs = [recorded([START, Mark(name=name)]) for name in "aba"[:2]]
    export_otlp(runs, tmp_path / "t.json")
    assert [list(back.lines) for back in load_otlp(tmp_path / "t.json")] == [list(run.lines) for run in runs]


def test_only_the_owner_can_read_the_file_also_where_it_was_there_before(tmp_path):
    path = tmp_path / "t.json"
    path.touch(mode=0o644)
    export_otlp([STORY], path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_folder_that_is_not_there_is_wrong_input(tmp_path):
    with pytest.raises(UsageError, match="cannot write"):
        export_otlp([STORY], tmp_path / "nowhere" / "t.json")


def test_the_corpus_comes_back(shared, tmp_path):
    runs = load(shared / "corpora" / "taubench_airline_gpt4o.jsonl")[:20]
    export_otlp(runs, tmp_path / "t.json")
    assert [list(back.lines) for back in load_otlp(tmp_path / "t.json")] == [list(run.lines) for run in runs]
