"""The GenAI conventions of OpenTelemetry: as they are now, as they were before, and as Pydantic AI writes them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from squall.trace.formats import load
from squall.trace.kinds import AgentFinal, CaptureIncomplete, Mark

CHAT, TOOL, AGENT = ({"gen_ai.operation.name": name} for name in ("chat", "execute_tool", "invoke_agent"))
USER = {"role": "user", "parts": [{"type": "text", "content": "Refund order 7"}]}
CALL = {"type": "tool_call", "id": "c1", "name": "refund", "arguments": {"order": "7"}}
ASKS = {"role": "assistant", "parts": [CALL], "finish_reason": "tool_call"}
SAYS = {"role": "assistant", "parts": [{"type": "text", "content": "Done."}], "finish_reason": "stop"}
ANSWER = {"type": "tool_call_response", "id": "c1", "response": {"ok": True}}
DEFINITIONS = [{"type": "function", "name": "refund", "parameters": {"type": "object"}}]
READ = [
    {"role": "system", "content": "be terse"},
    {"role": "user", "content": "Refund order 7"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"type": "function", "function": {"name": "refund", "arguments": '{"order":"7"}'}, "id": "c1"}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": '{"ok":true}'},
]


def content(messages, output, form):
    said = {
        "gen_ai.system_instructions": [{"type": "text", "content": "be terse"}],
        "gen_ai.input.messages": messages,
        "gen_ai.output.messages": output,
        "gen_ai.tool.definitions": DEFINITIONS,
    }
    return {name: form(value) for name, value in said.items()}


@pytest.mark.parametrize("form", [json.dumps, lambda value: value], ids=["as JSON text", "structured"])
@pytest.mark.parametrize("where", ["span", "event"])
def test_requests_replies_and_tools_of_a_run(read, look, span, otlp, form, where):
    def chat(number, messages, output):
        said = content(messages, output, form)
        about = CHAT | {"gen_ai.request.model": "m", "gen_ai.usage.input_tokens": 9, "gen_ai.request.max_tokens": 50}
        if where == "span":
            return span(number, about | said, parent=9)
        return span(number, about, parent=9, events=[("gen_ai.client.inference.operation.details", said)])

    tool = TOOL | {
        "gen_ai.tool.name": "refund",
        "gen_ai.tool.call.id": "c1",
        "gen_ai.tool.call.arguments": form({"order": "7"}),
        "gen_ai.tool.call.result": form({"ok": True}),
    }
    trace = read(
        otlp(
            chat(3, [USER, ASKS, {"role": "tool", "parts": [ANSWER]}], [SAYS]),
            span(2, tool, parent=9),
            chat(1, [USER], [ASKS]),
            span(9, AGENT | {"user.id": "mia", "gen_ai.output.messages": form([SAYS])}, at=0),
        )
    )
    assert look.kinds(trace) == [
        *("model_call", "model_reply", "tool_call", "tool_result", "model_call", "model_reply"),
        "agent_final",
    ]
    one, two = look.asked(trace)
    assert (one.model, one.messages, one.asked) == ("m", READ[:2], {"max_tokens": 50})
    assert one.tools == DEFINITIONS
    assert (two.continues, two.messages, two.tools) == (1, READ[2:], None)
    assert look.replies(trace)[0].calls == [{"id": "c1", "name": "refund", "arguments": '{"order":"7"}'}]
    assert [(each.text, each.finish, each.usage) for each in look.replies(trace)] == [
        (None, "tool_calls", {"input": 9}),
        ("Done.", "stop", {"input": 9}),
    ]
    assert [(each.tool, each.args) for each in look.used(trace)] == [("refund", {"order": "7"})]
    assert [(each.ok, each.result) for each in look.results(trace)] == [(True, {"ok": True})]
    assert look.of(trace, AgentFinal) == [AgentFinal(answer="Done.")]
    assert look.of(trace, Mark)[0].data == {"format": "otlp", "id": "a" * 32, "user": "mia"}
    assert [entry.envelope.t for entry in trace][2:6] == [0.0, 0.5, 1.0, 1.5]


def test_pydantic_ai_tells_results_under_a_user_s_role_as_result(read, look, span, otlp):
    answer = {
        "role": "user",
        "parts": [{"type": "tool_call_response", "id": "c1", "name": "refund", "result": "card declined"}],
    }
    messages = json.dumps([USER, ASKS, answer])
    trace = read(otlp(span(1, CHAT | {"gen_ai.input.messages": messages})))
    assert look.asked(trace)[0].messages[-1] == {
        "role": "tool",
        "tool_call_id": "c1",
        "content": "card declined",
        "name": "refund",
    }


def test_an_agent_that_tells_all_messages_makes_up_for_requests_without_content(read, look, span, otlp):
    whole = json.dumps([USER, ASKS, {"role": "user", "parts": [ANSWER]}, SAYS])
    about = AGENT | {"pydantic_ai.all_messages": whole, "final_result": "Done."}
    trace = read(otlp(span(1, CHAT, parent=9), span(9, about, at=0)))
    assert look.kinds(trace) == ["model_call", "model_reply", "model_call", "model_reply", "agent_final"]
    assert look.of(trace, AgentFinal) == [AgentFinal(answer="Done.")]


def test_requests_whose_content_was_not_captured_leave_capture_incomplete(read, look, span, otlp):
    trace = read(otlp(span(1, CHAT), span(2, CHAT | {"gen_ai.input.messages": json.dumps([USER])})))
    (gap,) = look.of(trace, CaptureIncomplete)
    assert gap.why.startswith("1 of 2 requests to models have no messages in this file")


@pytest.mark.parametrize("form", ["span events", "log records", "attribute"])
def test_an_event_for_each_message_as_before_1_37(read, look, span, otlp, form):
    call = {"id": "c1", "type": "function", "function": {"name": "refund", "arguments": '{"order":"7"}'}}
    told: list[tuple[str, dict[str, Any]]] = [
        ("gen_ai.system.message", {"content": "be terse"}),
        ("gen_ai.user.message", {"content": "Refund order 7"}),
        ("gen_ai.assistant.message", {"tool_calls": [call]}),
        ("gen_ai.tool.message", {"id": "c1", "content": '{"ok":true}'}),
        ("gen_ai.choice", {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "Done."}}),
    ]
    about = {"gen_ai.operation.name": "chat", "gen_ai.system": "openai", "gen_ai.request.model": "m"}
    if form == "span events":
        file = otlp(span(1, about, events=[(name, as_text(data)) for name, data in told]))
    elif form == "log records":
        one = span(1, about)
        logs = [
            {
                "traceId": one["traceId"],
                "spanId": one["spanId"],
                "eventName": name,
                "body": {"kvlistValue": {"values": span(1, data)["attributes"]}},
            }
            for name, data in told
        ]
        file = otlp(one) | {"resourceLogs": [{"scopeLogs": [{"logRecords": logs}]}]}
    else:
        listed = [data | {"event.name": name} for name, data in told]
        file = otlp(span(1, about | {"events": json.dumps(listed)}))
    trace = read(file)
    assert look.asked(trace)[0].messages == READ
    assert [(each.text, each.finish) for each in look.replies(trace)] == [("Done.", "stop")]


def as_text(data):
    return {name: value if isinstance(value, str | int) else json.dumps(value) for name, value in data.items()}


def test_messages_as_numbered_attributes(read, look, span, otlp):
    about = {
        "gen_ai.request.model": "m",
        "gen_ai.prompt.0.role": "user",
        "gen_ai.prompt.0.content": "Refund order 7",
        "gen_ai.completion.0.role": "assistant",
        "gen_ai.completion.0.finish_reason": "tool_calls",
        "gen_ai.completion.0.tool_calls.0.id": "c1",
        "gen_ai.completion.0.tool_calls.0.name": "refund",
        "gen_ai.completion.0.tool_calls.0.arguments": '{"order":"7"}',
    }
    trace = read(otlp(span(1, about)))
    assert look.asked(trace)[0].messages == [{"role": "user", "content": "Refund order 7"}]
    (reply,) = look.replies(trace)
    assert (reply.calls, reply.finish) == ([{"id": "c1", "name": "refund", "arguments": '{"order":"7"}'}], "tool_calls")


def test_a_failed_span_is_a_failed_call(read, look, span, otlp):
    raised = [("exception", {"exception.type": "ValueError", "exception.message": "card declined"})]
    tool = TOOL | {"gen_ai.tool.name": "refund", "gen_ai.tool.call.arguments": "{}"}
    trace = read(
        otlp(
            span(1, CHAT | {"error.type": "429", "gen_ai.input.messages": json.dumps([USER])}, error="slow down"),
            span(2, tool, error="", events=raised),
            span(3, tool | {"error.type": "timeout"}),
        )
    )
    (reply,) = look.replies(trace)
    assert (reply.ok, reply.status, reply.error) == (False, 429, "429: slow down")
    assert [(each.ok, each.error) for each in look.results(trace)] == [
        (False, "ValueError: card declined"),
        (False, "timeout"),
    ]


def test_what_leaves_the_agent_ends_the_run(read, look, span, otlp):
    chat = span(1, CHAT | {"gen_ai.input.messages": json.dumps([USER])}, parent=9, error="boom")
    trace = read(otlp(chat, span(9, AGENT, at=0, error="boom")))
    assert look.of(trace, AgentFinal) == [AgentFinal(error="boom")]
    assert trace.status == "crashed"


def test_a_span_within_a_span_that_tells_of_the_same_call_is_told_once(read, look, span, otlp):
    said = {"gen_ai.input.messages": json.dumps([USER]), "gen_ai.output.messages": json.dumps([SAYS])}
    tool = TOOL | {"gen_ai.tool.name": "refund", "gen_ai.tool.call.arguments": "{}"}
    inner = TOOL | {"gen_ai.tool.name": "charge", "gen_ai.tool.call.arguments": "{}"}
    trace = read(
        otlp(
            span(1, CHAT | said),
            span(2, CHAT | said, parent=1, at=1),
            span(3, tool),
            span(4, tool, parent=3, at=3),
            span(5, inner, parent=3, at=3),
            span(6, CHAT | said, parent=5, at=3),
        )
    )
    assert len(look.asked(trace)) == 2
    assert [each.tool for each in look.used(trace)] == ["refund", "charge"]


def test_a_tool_that_asks_a_model_holds_that_request(read, look, span, otlp):
    tool = TOOL | {"gen_ai.tool.name": "research", "gen_ai.tool.call.arguments": "{}"}
    inner = span(
        2,
        CHAT | {"gen_ai.input.messages": json.dumps([USER]), "gen_ai.output.messages": json.dumps([SAYS])},
        parent=1,
        at=1,
    )
    outer = span(1, tool)
    outer["endTimeUnixNano"] = str(int(outer["endTimeUnixNano"]) + 10**9)
    assert look.kinds(read(otlp(inner, outer))) == ["tool_call", "model_call", "model_reply", "tool_result"]


def test_thoughts_are_left_out_and_pictures_kept(read, look, span, otlp):
    parts = [
        {"type": "reasoning", "content": "hm"},
        {"type": "text", "content": "see"},
        {"type": "uri", "uri": "http://x"},
    ]
    trace = read(otlp(span(1, CHAT | {"gen_ai.input.messages": json.dumps([{"role": "user", "parts": parts}])})))
    assert look.asked(trace)[0].messages[0]["content"] == [{"type": "text", "text": "see"}, parts[2]]


FLAT = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": [USER], "gen_ai.output.messages": [SAYS]}


@pytest.mark.parametrize(
    "row",
    [
        {
            "name": "chat",
            "context": {"trace_id": "0x1", "span_id": "0x2"},
            "parent_id": None,
            "start_time": "2025-06-01T00:00:00.5Z",
            "end_time": "2025-06-01T00:00:01Z",
            "status": {"status_code": "UNSET"},
            "attributes": FLAT,
            "events": [],
        },
        {
            "span_name": "chat",
            "trace_id": "1",
            "span_id": "2",
            "start_timestamp": "2025-06-01T00:00:00.5+00:00",
            "end_timestamp": "2025-06-01T00:00:01Z",
            "attributes": json.dumps(FLAT),
        },
        {
            "name": "chat",
            "trace_id": "1",
            "span_id": "2",
            "start_time_unix_nano": 1748736000500000000,
            "end_time_unix_nano": 1748736001000000000,
            "attributes": FLAT,
        },
        {
            "name": "chat",
            "context.trace_id": "1",
            "context.span_id": "2",
            "start_time": 1748736000.5,
            "end_time": 1748736001.0,
            **{f"attributes.{name}": value for name, value in FLAT.items()},
        },
    ],
    ids=["to_json of the SDK", "a row of Logfire", "snake case", "columns"],
)
def test_spans_in_other_forms(write, look, row):
    (trace,) = load(write([row], lines=True))
    assert look.asked(trace)[0].messages == [READ[1]]
    (reply,) = look.replies(trace)
    assert (reply.text, reply.latency_ms) == ("Done.", 500.0)
    assert trace.start.start == "2025-06-01T00:00:00Z"


def test_traces_that_are_mixed_on_lines_of_batches_are_told_apart(write, look, span, otlp):
    said = {"gen_ai.input.messages": json.dumps([USER]), "gen_ai.output.messages": json.dumps([SAYS])}
    lines = [otlp(span(1, CHAT | said, trace=name, parent=8), span(2, AGENT, trace=name)) for name in ("b", "a")]
    lines.append(otlp(*(span(3, CHAT | said, trace=name, parent=8) for name in ("a", "b"))))
    found = load(write(lines, lines=True))
    assert [trace.entries()[0].envelope.run for trace in found] == ["b", "a"]
    assert [len(look.asked(trace)) for trace in found] == [2, 2]


def test_the_sample_of_pydantic_ai(shared, look):
    (trace,) = load(shared / "formats" / "pydantic_ai.otlp.json")
    assert trace.line() == "issue_refund✗"
    assert len(look.asked(trace)) == 2


def test_calls_of_tools_without_content_leave_capture_incomplete(read, look, span, otlp):
    trace = read(otlp(span(1, TOOL | {"gen_ai.tool.name": "refund"}), span(2, TOOL | {"gen_ai.tool.call.result": "x"})))
    (gap,) = look.of(trace, CaptureIncomplete)
    assert gap.why == "1 of 2 calls of tools have neither arguments nor results in this file"


def test_the_first_events_of_all_hold_a_prompt_and_a_completion(read, look, span, otlp):
    prompt = json.dumps([{"role": "user", "content": "Refund order 7"}])
    said = json.dumps([{"role": "assistant", "content": "Done."}])
    told = [
        ("gen_ai.content.prompt", {"gen_ai.prompt": prompt}),
        ("gen_ai.content.completion", {"gen_ai.completion": said}),
    ]
    trace = read(otlp(span(1, CHAT, events=told)))
    assert look.asked(trace)[0].messages == [READ[1]]
    assert look.replies(trace)[0].text == "Done."
