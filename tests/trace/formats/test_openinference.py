"""OpenInference: messages as attributes whose names are paths, and requests that are traces of their own."""

from __future__ import annotations

import json

import pytest

from squall.trace.formats import load
from squall.trace.kinds import AgentFinal

KIND = "openinference.span.kind"
CALL = "message.tool_calls.0.tool_call."


def llm(asked, said, **more):
    about = {KIND: "LLM", "llm.model_name": "m", "llm.token_count.prompt": 5, **more}
    for side, messages in (("llm.input_messages", asked), ("llm.output_messages", said)):
        for place, message in enumerate(messages):
            about |= {f"{side}.{place}.{name}": value for name, value in message.items()}
    return about


def message(role, content):
    return {"message.role": role, "message.content": content}


USER = message("user", "Refund order 7")
ASKS = {
    "message.role": "assistant",
    CALL + "id": "c1",
    CALL + "function.name": "refund",
    CALL + "function.arguments": '{"order":"7"}',
}
TOLD = message("tool", "Error: card declined") | {"message.tool_call_id": "c1"}
SAYS = message("assistant", "It was declined.")
SCHEMA = {"type": "function", "function": {"name": "refund", "parameters": {"type": "object", "properties": {}}}}


def test_requests_and_tools_of_a_run(read, look, span, otlp):
    tools = {"llm.tools.0.tool.json_schema": json.dumps(SCHEMA)}
    tool = {
        KIND: "TOOL",
        "tool.name": "refund",
        "tool.parameters": json.dumps({"properties": {"order": {}}}),
        "input.value": '{"order":"7"}',
        "output.value": "Error: card declined",
    }
    trace = read(
        otlp(
            span(1, llm([USER], [ASKS], **tools), parent=9),
            span(2, tool, parent=9, error="boom"),
            span(3, llm([USER, ASKS, TOLD], [SAYS], **tools), parent=9),
            span(9, {KIND: "AGENT", "output.value": "It was declined."}, at=0),
        )
    )
    assert look.kinds(trace) == [
        *("model_call", "model_reply", "tool_call", "tool_result", "model_call", "model_reply"),
        "agent_final",
    ]
    one, two = look.asked(trace)
    assert (one.model, one.tools, one.messages) == ("m", [SCHEMA], [{"role": "user", "content": "Refund order 7"}])
    assert two.continues == 1
    assert two.messages[1] == {"role": "tool", "content": "Error: card declined", "tool_call_id": "c1"}
    assert look.replies(trace)[0].calls == [{"id": "c1", "name": "refund", "arguments": '{"order":"7"}'}]
    assert look.replies(trace)[0].usage == {"input": 5}
    assert [
        (each.args, result.ok, result.error) for each, result in zip(look.used(trace), look.results(trace), strict=True)
    ] == [({"order": "7"}, False, "boom")]
    assert look.of(trace, AgentFinal) == [AgentFinal(answer="It was declined.")]


def test_a_tool_without_input_takes_its_parameters_unless_they_are_its_schema(read, look, span, otlp):
    schema, given = json.dumps({"type": "object", "properties": {}}), json.dumps({"order": "7"})
    about = {KIND: "TOOL", "output.value": "x"}
    trace = read(
        otlp(span(1, about | {"tool.parameters": schema}, name="a"), span(2, about | {"tool.parameters": given}))
    )
    assert [(each.tool, each.args) for each in look.used(trace)] == [("a", {}), ("span", {"order": "7"})]


def test_bare_requests_that_are_traces_of_their_own_join_the_run_that_they_go_on_with(write, look, span, otlp):
    other = message("user", "Hello")
    lines = [
        otlp(span(1, llm([USER], [ASKS]), trace="t1")),
        otlp(span(2, llm([other], [message("assistant", "Hi")]), trace="t2")),
        otlp(span(3, llm([USER, ASKS, TOLD], [SAYS]), trace="t3")),
        otlp(span(4, llm([other, message("assistant", "Hi"), USER], [SAYS]), trace="t4")),
        otlp(span(5, llm([USER, ASKS, TOLD, SAYS, other], [SAYS]), trace="t5")),
    ]
    found = load(write(lines, lines=True))
    assert [trace.entries()[0].envelope.run for trace in found] == ["t1", "t2"]
    assert [len(look.asked(trace)) for trace in found] == [3, 2]


def test_a_request_asked_anew_from_the_beginning_is_a_run_of_its_own(write, span, otlp):
    lines = [otlp(span(number, llm([USER], [SAYS]), trace=f"t{number}")) for number in (1, 2)]
    assert len(load(write(lines, lines=True))) == 2


def test_a_request_with_children_stays_in_its_trace(write, look, span, otlp):
    tool = {KIND: "TOOL", "tool.name": "refund", "input.value": "{}", "output.value": "x"}
    lines = [
        otlp(span(1, llm([USER], [ASKS]), trace="t1")),
        otlp(span(3, tool, trace="t2", parent=2), span(2, llm([USER, ASKS, TOLD], [SAYS]), trace="t2")),
    ]
    found = load(write(lines, lines=True))
    assert [len(look.asked(trace)) for trace in found] == [1, 1]
    assert [len(look.used(trace)) for trace in found] == [0, 1]


def test_attributes_as_objects_mean_the_same(read, look):
    inner = {"message": {"role": "user", "content": "Refund order 7"}}
    said = {
        "message": {
            "role": "assistant",
            "tool_calls": [{"tool_call": {"id": "c1", "function": {"name": "refund", "arguments": "{}"}}}],
        }
    }
    about = {
        "openinference": {"span": {"kind": "LLM"}},
        "llm": {"model_name": "m", "input_messages": [inner], "output_messages": [said]},
    }
    trace = read([{"name": "x", "context": {"trace_id": "1", "span_id": "2"}, "attributes": about}], lines=True)
    assert look.asked(trace)[0].messages == [{"role": "user", "content": "Refund order 7"}]
    assert look.replies(trace)[0].calls == [{"id": "c1", "name": "refund", "arguments": "{}"}]


def test_bodies_serve_where_messages_are_missing(read, look, span, otlp):
    request = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "tools": [SCHEMA], "max_tokens": 4}
    answer = {
        "choices": [{"finish_reason": "length", "message": {"role": "assistant", "content": "yo"}}],
        "usage": {"prompt_tokens": 3},
    }
    about = {KIND: "LLM", "input.value": json.dumps(request), "output.value": json.dumps(answer)}
    trace = read(otlp(span(1, about)))
    (asked,), (reply,) = look.asked(trace), look.replies(trace)
    assert (asked.messages, asked.tools, asked.model) == (request["messages"], [SCHEMA], "m")
    assert (reply.text, reply.finish, reply.usage) == ("yo", "length", {"input": 3})


@pytest.mark.parametrize(
    ("name", "requests"), [("openinference_openai.otlp.json", 2), ("openinference_openai_agents.otlp.json", 2)]
)
def test_the_samples(shared, look, name, requests):
    (trace,) = load(shared / "formats" / name)
    assert len(look.asked(trace)) == requests
    assert look.asked(trace)[1].continues == 1
