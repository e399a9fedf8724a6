"""Beside OpenTelemetry's instrumentation of openai: both record, whichever came first, and the agent sees neither."""

from __future__ import annotations

import importlib

import pytest

import squall
from squall.models import call, say

TOOLS = [{"type": "function", "function": {"name": "get_order", "parameters": {"type": "object"}}}]


@pytest.fixture(scope="session")
def telemetry(openai):
    """The instrumentation, where it is installed."""
    reason = "OpenTelemetry's instrumentation of openai is not installed"
    pytest.importorskip("opentelemetry.instrumentation.openai_v2", reason=reason)
    return importlib.import_module("opentelemetry.instrumentation.openai_v2")


@pytest.fixture
def spans(telemetry):
    """`on()` has it instrument openai; the spans that have ended are in `spans`."""
    sdk = importlib.import_module("opentelemetry.sdk.trace")
    export = importlib.import_module("opentelemetry.sdk.trace.export")
    memory = importlib.import_module("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    exporter, provider = memory.InMemorySpanExporter(), sdk.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(exporter))
    instrumentor = telemetry.OpenAIInstrumentor()
    instrumentor.on = lambda: instrumentor.instrument(tracer_provider=provider)
    instrumentor.ended = exporter.get_finished_spans
    yield instrumentor
    instrumentor.uninstrument()
    provider.shutdown()


def agent(openai):
    """Calls a tool, answers in a stream."""
    messages = [{"role": "user", "content": "Where is order 7?"}]
    with openai.OpenAI() as client:
        reply = client.chat.completions.create(model="m", messages=messages, tools=TOOLS).choices[0].message
        result = {"role": "tool", "tool_call_id": reply.tool_calls[0].id, "content": "delivered"}
        messages += [reply.model_dump(exclude_none=True), result]
        chunks = client.chat.completions.create(model="m", messages=messages, tools=TOOLS, stream=True)
        return "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)


@pytest.mark.parametrize("first", ["squall", "opentelemetry"])
def test_both_record(model, openai, spans, first):
    model.script(call("get_order", id="7"), say("It was delivered."))
    if first == "opentelemetry":
        spans.on()
    with squall.run("beside") as run:
        if first == "squall":
            spans.on()
        assert agent(openai) == "It was delivered."
    assert [type(step).__name__ for step in run.steps] == ["Turn", "ToolStep", "Turn"]
    assert (run.report["model_calls"], run.report["attempts"], run.report["capture_complete"]) == (2, 2, True)
    assert [span.name for span in spans.ended()] == ["chat m", "chat m"]
    assert run.assert_clean().passed
