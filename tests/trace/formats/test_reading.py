"""Which format a file is, what is said where it is none, and that no file breaks a reader."""

from __future__ import annotations

import json
import tracemalloc
from itertools import islice

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from squall.errors import UsageError
from squall.trace import Trace
from squall.trace.formats import FORMATS, export_otlp, load, load_otlp, stream
from squall.trace.formats.kinds import KINDS

HELLO = [{"role": "user", "content": "hello"}, {"role": "assistant", "content": "good day"}]
WORDS = (
    "role content messages tool_calls id type function name arguments input output parts trace_id traceId spanId span_id "
    "attributes key value stringValue run_type inputs outputs error span_attributes root_span_id metrics span_data object "
    "trace.span generation response tool llm chain user assistant system observations GENERATION epoch target uuid "
    "sessionId message text tool_use tool_result tool_call_id openinference.span.kind LLM TOOL gen_ai.operation.name chat "
    "execute_tool gen_ai.input.messages gen_ai.output.messages squall.run squall.event squall.seq squall.t squall.taken "
    "hash prev v run seq kind status code events body kwargs lc generations choices start_time began 2025-01-01 data child_runs"
).split()
TEXT = (
    st.sampled_from(WORDS) | st.text(max_size=6) | st.sampled_from(["[]", "{}", '[{"role":"tool"}]', '{"parts":[1]}'])
)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=6),
    max_leaves=20,
)
SEEDS = [
    lambda a, b: {"messages": [{"role": "assistant", "content": a, "tool_calls": b}, {"role": "tool", "content": b}], "tools": a},
    lambda a, b: {"role": "assistant", "content": a, "tool_calls": b, "run_id": a},
    lambda a, b: {"traceId": "1", "spanId": "2", "attributes": {"gen_ai.operation.name": "chat", "gen_ai.input.messages": a, "gen_ai.output.messages": b, "gen_ai.tool.definitions": a}},
    lambda a, b: {"traceId": "1", "spanId": "2", "attributes": {"openinference.span.kind": "LLM", "llm": a, "input.value": b, "output.value": a}},
    lambda a, b: {"traceId": "1", "spanId": "2", "attributes": {"openinference.span.kind": "LLM", "llm.input_messages": a, "llm.tools": b}},
    lambda a, b: {"traceId": "1", "spanId": "2", "attributes": {"langfuse.observation.type": "generation", "langfuse.observation.input": a, "langfuse.observation.output": b}},
    lambda a, b: {"traceId": "1", "spanId": "2", "attributes": a, "events": b, "status": a, "startTimeUnixNano": b},
    lambda a, b: {"traceId": "1", "spanId": "2", "attributes": {"squall.run": "x", "squall.event": a, "squall.seq": 1, "squall.t": 1.0, "squall.taken": b}},
    lambda a, b: {"type": "GENERATION", "traceId": "1", "input": a, "output": b, "usage": a, "startTime": b},
    lambda a, b: {"run_type": "llm", "trace_id": "1", "inputs": a, "outputs": b, "extra": a, "child_runs": b},
    lambda a, b: {"run_type": "tool", "trace_id": "1", "inputs": {"input": "{" + str(a)}, "outputs": b},
    lambda a, b: {"span_attributes": {"type": "llm", "name": a}, "root_span_id": "1", "input": a, "output": b, "metrics": b, "span_parents": a},
    lambda a, b: {"object": "trace.span", "trace_id": "1", "span_data": {"type": "generation", "input": a, "output": b, "model_config": b}, "error": a},
    lambda a, b: {"object": "trace.span", "trace_id": "1", "span_data": {"type": "function", "input": a, "output": b}, "error": b},
    lambda a, b: {"type": "assistant", "uuid": "1", "message": {"content": a, "id": b}, "isSidechain": True, "parentUuid": a},
    lambda a, b: {"epoch": 1, "target": a, "messages": [{"role": "assistant", "content": a, "tool_calls": b}, b], "error": a, "attachments": b},
]  # fmt: skip


@pytest.mark.parametrize("fmt", FORMATS)
def test_a_file_that_is_none_of_them_says_what_was_looked_for(write, fmt):
    path = write({"hello": "world"})
    with pytest.raises(UsageError) as wrong:
        load(path, fmt)
    if fmt == "auto":
        assert str(wrong.value).startswith(
            f"{path}: this is no file of recorded runs: none of its first 1 records is of a"
        )
        for kind in KINDS:
            assert kind.looks_for in str(wrong.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", ": this is no file of recorded runs: it is empty"),
        ("hello\n", ":1: this is not JSON: Expecting value"),
        ('{"role": "user", "content": "x"}\n\n{"role": ', ":3: this is not JSON: Expecting value"),
    ],
)
def test_an_empty_or_a_broken_file(write, text, says):
    path = write(text)
    with pytest.raises(UsageError) as wrong:
        load(path)
    assert str(wrong.value).startswith(f"{path}{says}")


def test_a_missing_file_and_an_unknown_format_are_wrong_input(tmp_path, write):
    with pytest.raises(UsageError, match="cannot read .*: No such file"):
        load(tmp_path / "nowhere.json")
    with pytest.raises(UsageError, match="there is no format 'openinferenc' of traces; did you mean 'openinference'?"):
        load(write(HELLO), "openinferenc")


def test_a_format_can_be_named(write):
    path = write([{"messages": HELLO}])
    assert len(load(path, "chat")) == 1
    with pytest.raises(UsageError, match="there is no run in it: it was read as LangSmith runs"):
        load(path, "langsmith")


def test_spans_that_tell_of_no_agent_are_no_run(write):
    path = write({"spans": [{"traceId": "1", "spanId": "2", "name": "GET /", "attributes": []}]})
    with pytest.raises(UsageError, match="there is no run in it: it was read as spans of OpenTelemetry"):
        load(path)


def test_runs_come_in_the_order_in_which_they_begin_though_they_are_mixed(write):
    lines = [
        {"run_id": name, "role": role, "content": f"{name} {role}"} for role in ("user", "assistant") for name in "bac"
    ]
    found = load(write(lines, lines=True))
    assert [trace.entries()[0].envelope.run for trace in found] == ["b", "a", "c"]
    assert [trace.entries()[2].event.messages[0]["content"] for trace in found] == ["b user", "a user", "c user"]
    assert [trace.entries()[3].event.text for trace in found] == ["b assistant", "a assistant", "c assistant"]


def test_one_run_at_a_time_is_in_memory(write):
    line = json.dumps({"messages": [{"role": "user", "content": "x" * 1000}, *HELLO]})
    path = write((line + "\n") * 5_000)  # 5.6 MB
    tracemalloc.start()
    try:
        found = stream(path)
        assert len(list(islice(found, 5))) == 5
        assert sum(1 for _ in found) == 4_995
        assert tracemalloc.get_traced_memory()[1] < 5_000_000
    finally:
        tracemalloc.stop()


def test_what_it_reads_is_an_ordinary_trace(read):
    trace = read({"id": "greeting", "messages": HELLO})
    assert isinstance(trace, Trace)
    assert trace.start.clock == "wall"
    assert trace.status == "passed"


@settings(max_examples=80, suppress_health_check=[HealthCheck.too_slow])
@given(values=st.lists(ANY, max_size=4), fmt=st.sampled_from(FORMATS))
def test_arbitrary_json_gives_traces_or_a_usage_error(values, fmt, tmp_path_factory):
    survives(tmp_path_factory, values, fmt)


@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(seed=st.sampled_from(SEEDS), first=ANY, second=ANY)
def test_files_that_almost_fit_give_traces_or_a_usage_error(seed, first, second, tmp_path_factory):
    survives(tmp_path_factory, [seed(first, second), seed(second, first)], "auto")


def survives(tmp_path_factory, values, fmt):
    path = tmp_path_factory.getbasetemp() / "any.json"
    path.write_text("\n".join(map(json.dumps, values)))
    try:
        found = load(path, fmt)
    except UsageError:
        return
    for trace in found:
        assert len(trace.entries()) == len(trace)
    export_otlp(found, path)
    if found:
        assert [trace.lines for trace in load_otlp(path)] == [trace.lines for trace in found]


@given(data=st.binary(max_size=300))
def test_arbitrary_bytes_give_a_usage_error_or_traces(data, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(data)
    with pytest.raises(UsageError):
        load(path)
