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
    "role content messages tool_calls id type function name arguments input output parts trace_id traceId spanId "
    "span_id attributes key value stringValue run_type inputs outputs error span_attributes root_span_id metrics "
    "span_data object trace.span generation response tool llm chain assistant system observations GENERATION "
    "epoch target uuid sessionId message text tool_use tool_result tool_call_id openinference.span.kind LLM TOOL "
    "gen_ai.operation.name chat execute_tool gen_ai.input.messages gen_ai.output.messages squall.run squall.event "
    "squall.seq squall.t squall.taken hash prev v run seq kind status code events body kwargs lc generations "
    "choices start_time 2025-01-01 data child_runs "
).split()
TEXT = (
    st.sampled_from(WORDS) | st.text(max_size=6) | st.sampled_from(["[]", "{}", '[{"role":"tool"}]', '{"parts":[1]}'])
)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=6),
    max_leaves=20,
)


def spanning(**about):
    return {
        "traceId": "1",
        "spanId": "2",
        "attributes": {name.replace("__", "."): value for name, value in about.items()},
    }


CHAT, LLM, OBSERVED = (
    {"gen_ai__operation__name": "chat"},
    {"openinference__span__kind": "LLM"},
    "langfuse__observation__",
)
SEEDS = [
    lambda a, b: {"messages": [{"role": "assistant", "content": a, "tool_calls": b}, {"role": "tool", "content": b}]},
    lambda a, b: {"messages": [{"role": "user", "content": a}], "tools": b, "error": a, "meta": b},
    lambda a, b: {"role": "assistant", "content": a, "tool_calls": b, "run_id": a},
    lambda a, b: spanning(**CHAT, gen_ai__input__messages=a, gen_ai__output__messages=b, gen_ai__tool__definitions=a),
    lambda a, b: spanning(**LLM, llm=a, input__value=b, output__value=a),
    lambda a, b: spanning(**LLM, llm__input_messages=a, llm__tools=b),
    lambda a, b: spanning(**{OBSERVED + "type": "generation", OBSERVED + "input": a, OBSERVED + "output": b}),
    lambda a, b: {**spanning(), "attributes": a, "events": b, "status": a, "startTimeUnixNano": b},
    lambda a, b: spanning(squall__run="x", squall__event=a, squall__seq=1, squall__t=1.0, squall__taken=b),
    lambda a, b: {"type": "GENERATION", "traceId": "1", "input": a, "output": b, "usage": a, "startTime": b},
    lambda a, b: {"run_type": "llm", "trace_id": "1", "inputs": a, "outputs": b, "extra": a, "child_runs": b},
    lambda a, b: {"run_type": "tool", "trace_id": "1", "inputs": {"input": "{" + str(a)}, "outputs": b},
    lambda a, b: {"span_attributes": {"type": "llm", "name": a}, "root_span_id": "1", "input": a, "output": b},
    lambda a, b: {
        "span_attributes": {"type": "tool"},
        "root_span_id": "1",
        "metrics": b,
        "span_parents": a,
        "error": b,
    },
    lambda a, b: {"object": "trace.span", "span_data": {"type": "generation", "input": a, "output": b}, "error": a},
    lambda a, b: {"object": "trace.span", "span_data": {"type": "response", "input": a, "response": b}},
    lambda a, b: {"object": "trace.span", "span_data": {"type": "function", "input": a, "output": b}, "error": b},
    lambda a, b: {"type": "assistant", "uuid": "1", "message": {"content": a, "id": b}, "isSidechain": True},
    lambda a, b: {"type": "user", "uuid": a, "message": {"content": [{"type": "tool_result", "content": b}]}},
    lambda a, b: {"epoch": 1, "target": a, "messages": [{"role": "assistant", "content": a, "tool_calls": b}, b]},
    lambda a, b: {"epoch": 1, "target": a, "messages": [{"role": "tool", "content": a}], "error": a, "attachments": b},
]


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
    with pytest.raises(UsageError, match=r"cannot read .*: No such file"):
        load(tmp_path / "nowhere.json")
    with pytest.raises(UsageError, match=r"there is no format 'openinferenc' of traces; did you mean 'openinference'?"):
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


def test_runs_come_in_the_order_in_which_they_begin_though_they_are_mixed(write, look):
    lines = [
        {"run_id": name, "role": role, "content": f"{name} {role}"} for role in ("user", "assistant") for name in "bac"
    ]
    found = load(write(lines, lines=True))
    assert [trace.entries()[0].envelope.run for trace in found] == ["b", "a", "c"]
    assert [look.asked(trace)[0].messages[0]["content"] for trace in found] == ["b user", "a user", "c user"]
    assert [look.replies(trace)[0].text for trace in found] == ["b assistant", "a assistant", "c assistant"]


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


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
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
