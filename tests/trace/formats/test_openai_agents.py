"""What exporters of the OpenAI Agents SDK get."""

from __future__ import annotations

from typing import Any

from squall.trace.formats import load
from squall.trace.kinds import CaptureIncomplete


def span(number, data, *, parent=None, error=None):
    return {
        "object": "trace.span",
        "id": f"span_{number}",
        "trace_id": "trace_1",
        "parent_id": parent and f"span_{parent}",
        "started_at": f"2025-06-01T00:00:0{number}+00:00",
        "ended_at": f"2025-06-01T00:00:0{number}.500000+00:00",
        "span_data": data,
        "error": error,
    }


def generation(asked, said):
    return {
        "type": "generation",
        "input": asked,
        "output": [said],
        "model": "m",
        "usage": {"input_tokens": 5, "output_tokens": 2},
    }


USER = {"role": "user", "content": "Refund order 7"}
CALL = {"id": "c1", "type": "function", "function": {"name": "refund", "arguments": '{"order":"7"}'}}
ASKS = {"role": "assistant", "content": None, "tool_calls": [CALL]}
TOLD = {"role": "tool", "tool_call_id": "c1", "content": "An error occurred while running the tool. Please try again."}
TRACE = {"object": "trace", "id": "trace_1", "workflow_name": "w", "metadata": {"user_id": "mia"}}
FUNCTION = {"type": "function", "name": "refund", "input": '{"order":"7"}', "output": TOLD["content"]}
FAILED = {"message": "Error running tool (non-fatal)", "data": {"tool_name": "refund", "error": "declined"}}


def test_generations_and_functions_of_a_run(read, look):
    trace = read(
        [
            span(2, FUNCTION, parent=9, error=FAILED),
            span(3, generation([USER, ASKS, TOLD], {"role": "assistant", "content": "It failed."}), parent=9),
            span(1, generation([USER], ASKS), parent=9),
            span(0, {"type": "agent", "name": "refunder"}),
            TRACE,
        ]
    )
    assert look.kinds(trace) == ["model_call", "model_reply", "tool_call", "tool_result", "model_call", "model_reply"]
    assert trace.entries()[1].event.data == {"format": "openai-agents", "id": "trace_1", "user": "mia"}
    assert [(each.continues, each.messages) for each in look.asked(trace)] == [(None, [USER]), (1, [ASKS, TOLD])]
    assert look.replies(trace)[0].calls == [{"id": "c1", "name": "refund", "arguments": '{"order":"7"}'}]
    assert look.replies(trace)[0].usage == {"input": 5, "output": 2}
    assert [(each.args, result.error) for each, result in zip(look.used(trace), look.results(trace), strict=True)] == [
        ({"order": "7"}, "Error running tool (non-fatal): declined")
    ]


def test_responses_keep_their_items(read, look):
    items = [
        {"role": "user", "content": "hi"},
        {"type": "function_call", "call_id": "c1", "name": "refund", "arguments": "{}"},
    ]
    items.append({"type": "function_call_output", "call_id": "c1", "output": "ok"})
    said = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]}
    response = {
        "model": "m",
        "output": [said],
        "tools": [{"type": "function", "name": "refund"}],
        "usage": {"input_tokens": 3},
    }
    trace = read([span(1, {"type": "response", "input": items, "response": response})])
    (asked,), (reply,) = look.asked(trace), look.replies(trace)
    assert (asked.target, asked.messages, asked.tools) == ("model.responses", items, response["tools"])
    assert (reply.text, reply.usage) == ("Done.", {"input": 3})


def test_responses_without_content_leave_capture_incomplete(read, look):
    trace = read([span(1, {"type": "response", "response_id": "resp_1", "usage": None}), span(2, FUNCTION)])
    assert len(look.of(trace, CaptureIncomplete)) == 1


def test_what_the_sdk_itself_exports_is_read(write, look):
    from agents.tracing import (
        TracingProcessor,
        agent_span,
        function_span,
        generation_span,
        trace,
    )  # only this test needs it
    from agents.tracing.setup import get_trace_provider  # as above

    kept = []

    class Keep(TracingProcessor):
        def on_trace_start(self, trace):
            kept.append(trace.export())

        def on_span_end(self, span):
            kept.append(span.export())

        def on_trace_end(self, trace): ...

        def on_span_start(self, span): ...

        def shutdown(self): ...

        def force_flush(self): ...

    provider: Any = get_trace_provider()
    before, disabled = provider._multi_processor._processors, provider._manual_disabled
    provider.set_disabled(False)  # tracing is off where that SDK was first used within a run with a model
    provider.set_processors([Keep()])
    try:
        with trace("refund"), agent_span("refunder"):
            with generation_span(input=[USER], output=[ASKS], model="m"):
                pass
            with function_span("refund", '{"order":"7"}', "ok"):
                pass
    finally:
        provider.set_processors(list(before))
        provider.set_disabled(disabled)
    (found,) = load(write(kept, lines=True))
    assert look.kinds(found) == ["model_call", "model_reply", "tool_call", "tool_result"]


def test_the_sample(shared, look):
    (trace,) = load(shared / "formats" / "openai_agents_sdk_export.json")
    assert len(look.asked(trace)) == 2
    assert trace.line() == "issue_refund✗"
