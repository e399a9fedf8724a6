"""The ids in a request to a model that say nothing but what belongs together."""

from __future__ import annotations

import copy

import pytest

from squall.interpose.opaque import renamed


def chat(one, other):
    return {
        "model": "m",
        "messages": [
            {"role": "user", "content": "Refund order 7."},
            {
                "role": "assistant",
                "tool_calls": [{"id": one, "function": {"name": "refund", "arguments": '{"id": "7"}'}}],
            },
            {"role": "tool", "tool_call_id": other, "content": "paid"},
        ],
        "tools": [{"type": "function", "function": {"name": "refund", "parameters": {"id": "a schema's"}}}],
    }


def messages(one, other):
    return {
        "messages": [
            {"role": "assistant", "content": [{"type": "tool_use", "id": one, "name": "f", "input": {"id": "7"}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": other, "content": "paid"}]},
        ]
    }


def responses(one, other):
    return {
        "previous_response_id": f"resp_{one}",
        "input": [
            {"type": "function_call", "id": f"fc_{one}", "call_id": one, "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": other, "output": "paid"},
        ],
    }


BODIES = pytest.mark.parametrize("body", [chat, messages, responses])


@BODIES
def test_requests_that_differ_in_the_spelling_of_ids_alone_become_the_same(body):
    assert body("call_a", "call_a") != body("call_b", "call_b")
    assert renamed(body("call_a", "call_a")) == renamed(body("call_b", "call_b"))


@BODIES
def test_whether_two_ids_are_one_still_makes_a_difference(body):
    assert renamed(body("call_a", "call_a")) != renamed(body("call_a", "call_b"))


@BODIES
def test_what_was_handed_in_is_left_as_it_is(body):
    given = body("call_a", "call_b")
    before = copy.deepcopy(given)
    renamed(given)
    assert given == before


def test_ids_in_arguments_and_schemas_are_kept():
    said, named = chat("call_a", "call_a"), renamed(chat("call_a", "call_a"))
    assert named["tools"] == said["tools"]
    assert named["messages"][1]["tool_calls"][0]["function"]["arguments"] == '{"id": "7"}'
    assert renamed(messages("a", "a"))["messages"][0]["content"][0]["input"] == {"id": "7"}


@pytest.mark.parametrize(
    "body",
    [
        {"model": "m", "messages": [{"role": "user", "content": "hi"}]},
        {"model": "m", "input": "hi"},
        {"messages": [7, None, {"tool_call_id": None, "content": None, "tool_calls": "x"}], "input": {}},
        {},
    ],
)
def test_a_body_without_such_ids_is_handed_back(body):
    assert renamed(body) is body


def test_however_deep_lists_lie_within_each_other_it_ends():
    content: list[object] = []
    for _ in range(100_000):
        content = [{"content": content, "id": "x"}]
    named = renamed({"messages": content})
    assert named["messages"][0]["id"] == "id 1"
    while content:  # else taking it down goes as deep
        content = content[0].pop("content")  # type: ignore[attr-defined]  # each is one of the mappings above
