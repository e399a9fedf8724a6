"""LangSmith's runs: messages of LangChain, and arguments as the `repr` of a Python value."""

from __future__ import annotations

import pytest

from squall.trace.formats import load
from squall.trace.kinds import AgentFinal


def run(number, kind, *, parent=None, **more):
    order = f"2025060100000{number}Z{number}"
    return {
        "id": str(number),
        "name": "refund",
        "run_type": kind,
        "trace_id": "t",
        "parent_run_id": parent,
        "start_time": f"2025-06-01T00:00:0{number}Z",
        "end_time": f"2025-06-01T00:00:0{number}.5Z",
        "dotted_order": order if parent is None else f"20250601000000Z0.{order}",
        **more,
    }


AI = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain", "schema", "messages", "AIMessage"],
    "kwargs": {
        "content": "",
        "tool_calls": [{"name": "refund", "args": {"order": "7"}, "id": "c1", "type": "tool_call"}],
        "response_metadata": {"finish_reason": "tool_calls"},
        "usage_metadata": {"input_tokens": 4},
    },
}
HUMAN = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain", "schema", "messages", "HumanMessage"],
    "kwargs": {"content": "Refund order 7"},
}
TOOLS = [{"type": "function", "function": {"name": "refund"}}]
LLM = run(
    1,
    "llm",
    parent="0",
    inputs={"messages": [[HUMAN]]},
    outputs={"generations": [[{"text": "", "message": AI}]]},
    extra={"invocation_params": {"model": "m", "tools": TOOLS}},
)
TOOL = run(
    2,
    "tool",
    parent="0",
    inputs={"input": "{'order': '7', 'cents': None}"},
    outputs={},
    error="RuntimeError('declined')",
)
ROOT = run(
    0,
    "chain",
    inputs={"messages": [{"role": "user", "content": "Refund order 7"}]},
    outputs={"messages": [{"type": "ai", "content": "It failed."}]},
    extra={"metadata": {"user_id": "mia"}},
)


@pytest.mark.parametrize("file", [[TOOL, LLM, ROOT], ROOT | {"child_runs": [TOOL, LLM]}], ids=["a list", "a tree"])
def test_requests_and_tools_of_a_run(read, look, file):
    trace = read(file)
    assert look.kinds(trace) == ["model_call", "model_reply", "tool_call", "tool_result", "agent_final"]
    assert trace.entries()[1].event.data["user"] == "mia"
    (asked,), (reply,) = look.asked(trace), look.replies(trace)
    assert (asked.model, asked.tools) == ("m", TOOLS)
    assert asked.messages == [{"role": "user", "content": "Refund order 7"}]
    assert reply.calls == [{"id": "c1", "name": "refund", "arguments": '{"order":"7"}'}]
    assert (reply.finish, reply.usage) == ("tool_calls", {"input": 4})
    assert [(each.args, result.error) for each, result in zip(look.used(trace), look.results(trace), strict=True)] == [
        ({"order": "7", "cents": None}, "RuntimeError('declined')")
    ]
    assert look.of(trace, AgentFinal) == [AgentFinal(answer="It failed.")]


@pytest.mark.parametrize(
    ("given", "args"),
    [
        ({"input": "plain words"}, "plain words"),
        ({"input": '{"a": true}'}, {"a": True}),
        ({"input": "{'a': __import__('os')}"}, "{'a': __import__('os')}"),
        ({"input": "{" * 5000}, "{" * 5000),
        ({"order": "7"}, {"order": "7"}),
    ],
)
def test_what_goes_into_a_tool(read, look, given, args):
    (used,) = look.used(read([run(1, "tool", inputs=given, outputs={"output": "x"})]))
    assert used.args == args


@pytest.mark.parametrize(
    ("output", "result", "error"),
    [
        ("found", "found", None),
        ({"type": "tool", "content": '{"n": 1}', "tool_call_id": "c1", "status": "success"}, {"n": 1}, None),
        ({"type": "tool", "content": "no", "tool_call_id": "c1", "status": "error"}, "no", "no"),
        (
            {"lc": 1, "id": ["ToolMessage"], "kwargs": {"content": "no", "tool_call_id": "c1", "status": "error"}},
            "no",
            "no",
        ),
    ],
)
def test_what_comes_out_of_a_tool(read, look, output, result, error):
    (found,) = look.results(read([run(1, "tool", inputs={"input": "{}"}, outputs={"output": output})]))
    assert (found.result, found.error) == (result, error)


def test_the_wrapper_of_openai_keeps_bodies(read, look):
    body = {
        "choices": [{"message": {"role": "assistant", "content": "yo"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 2},
    }
    trace = read([run(1, "llm", inputs={"messages": [{"role": "user", "content": "hi"}], "model": "m"}, outputs=body)])
    (reply,) = look.replies(trace)
    assert (look.asked(trace)[0].model, reply.text, reply.finish, reply.usage) == ("m", "yo", "stop", {"input": 2})


def test_the_sample(shared, look):
    (trace,) = load(shared / "formats" / "langsmith_runs.json")
    assert [each.args for each in look.used(trace)] == [{"order_id": "1042"}]
