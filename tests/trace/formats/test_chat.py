"""Plain chat messages: a conversation on each line, or one message."""

from __future__ import annotations

import json

import pytest

from squall.trace.formats import load
from squall.trace.kinds import AgentFinal, Mark


def call(name, arguments="{}", call_id="c1"):
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}


def says(text=None, *calls):
    return {"role": "assistant", "content": text, **({"tool_calls": list(calls)} if calls else {})}


def told(content, call_id="c1"):
    return {"role": "tool", "tool_call_id": call_id, "content": content}


USER = {"role": "user", "content": "Refund order 7"}


def test_each_reply_answers_what_came_before_it_and_holds_no_message_twice(read, look):
    first = says(None, call("get_order", '{"id": "7"}'))
    trace = read({"id": "run 1", "model": "m", "messages": [USER, first, told("found"), says("Done.")]})
    assert trace.entries()[0].envelope.run == "run 1"
    assert look.kinds(trace) == ["model_call", "model_reply", "model_call", "model_reply"]
    one, two = look.asked(trace)
    assert (one.target, one.model, one.messages, one.continues, one.tools) == ("model.chat", "m", [USER], None, None)
    assert (two.messages, two.continues) == ([first, told("found")], one.call)
    assert look.replies(trace)[0].calls == [{"id": "c1", "name": "get_order", "arguments": '{"id": "7"}'}]
    assert [reply.text for reply in look.replies(trace)] == [None, "Done."]


def test_tools_user_and_error_of_a_conversation_are_kept(read, look):
    tools = [{"type": "function", "function": {"name": "get_order"}}]
    line = {"messages": [USER, says("x")], "tools": tools, "meta": {"user_id": "mia"}, "error": {"message": "too slow"}}
    trace = read(line)
    assert look.asked(trace)[0].tools == tools
    assert look.events(trace)[1] == Mark(name="imported", data={"format": "chat", "user": "mia"})
    assert look.events(trace)[-2] == AgentFinal(error="too slow")
    assert trace.status == "crashed"


def test_results_after_the_last_reply_are_calls_of_tools_paired_by_order_though_ids_are_used_again(read, look):
    last = says(None, call("a", '{"n": 1}', "x"), call("b", '{"n": 2}', "x"), call("c", "not json", "y"))
    trace = read({"messages": [USER, last, told("3", "y"), told("1", "x"), told('{"ok": true}', "x")]})
    assert [(each.tool, each.args) for each in look.used(trace)] == [
        ("c", "not json"),
        ("a", {"n": 1}),
        ("b", {"n": 2}),
    ]
    assert [each.result for each in look.results(trace)] == ["3", "1", {"ok": True}]


def test_what_nobody_has_answered_is_kept_and_asks_for_no_reply(read, look):
    trace = read({"messages": [USER, says("Done."), {"role": "user", "content": "Bye"}]})
    assert look.kinds(trace) == ["model_call", "model_reply", "mark"]
    assert look.events(trace)[-2] == Mark(name="left", data={"messages": [{"role": "user", "content": "Bye"}]})


def test_a_request_without_a_reply_stays_one(read, look):
    assert look.kinds(read({"messages": [USER]})) == ["model_call"]


def test_a_result_marked_as_an_error_is_one(read, look):
    trace = read({"messages": [USER, says(None, call("a")), told("no") | {"is_error": True}]})
    assert [(each.ok, each.error) for each in look.results(trace)] == [(False, "no")]


def test_messages_on_lines_of_their_own_are_one_run_or_those_that_they_name(write, look):
    messages = [USER, says("Done.")]
    (trace,) = load(write(messages, lines=True))
    assert look.kinds(trace) == ["model_call", "model_reply"]
    assert len(load(write([{"thread_id": name, **each} for each in messages for name in "ab"], lines=True))) == 2
    assert len(load(write([messages, messages], lines=True))) == 2
    assert len(load(write([messages, messages]))) == 2


def test_messages_of_anthropic_keep_their_shape(read, look):
    use = {"type": "tool_use", "id": "t1", "name": "get_order", "input": {"id": "7"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": "boom", "is_error": True}
    first = {"role": "assistant", "content": [{"type": "text", "text": "I look."}, use], "stop_reason": "tool_use"}
    trace = read({"messages": [USER, first, {"role": "user", "content": [result]}]})
    assert look.asked(trace)[0].target == "model.messages"
    (reply,) = look.replies(trace)
    assert (reply.text, reply.finish) == ("I look.", "tool_calls")
    assert reply.calls == [{"id": "t1", "name": "get_order", "arguments": '{"id":"7"}'}]
    assert [(each.ok, each.error) for each in look.results(trace)] == [(False, "boom")]


@pytest.mark.parametrize(
    "messages",
    [
        [{"type": "human", "content": "hi"}, {"type": "ai", "content": "yo", "tool_calls": []}],
        [{"type": "human", "data": {"content": "hi"}}, {"type": "ai", "data": {"content": "yo"}}],
    ],
)
def test_messages_of_langchain_become_those_of_a_chat(read, messages, look):
    trace = read({"messages": messages})
    assert look.asked(trace)[0].messages == [{"role": "user", "content": "hi"}]
    assert look.replies(trace)[0].text == "yo"


def test_a_refusal_is_told_as_one(read, look):
    (reply,) = look.replies(read({"messages": [USER, {"role": "assistant", "content": None, "refusal": "I cannot."}]}))
    assert (reply.text, reply.finish) == ("I cannot.", "refusal")


def test_the_old_call_of_a_function_is_a_call(read, look):
    old = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": '{"a":1}'}}
    (reply,) = look.replies(read({"messages": [USER, old]}))
    assert reply.calls == [{"name": "f", "arguments": '{"a":1}'}]


def test_a_long_conversation_is_held_once(read, look):
    turns = [
        each for n in range(400) for each in ({"role": "user", "content": f"{n} {'x' * 100}"}, says(f"answer {n}"))
    ]
    trace = read({"messages": turns})
    assert sum(map(len, trace.lines)) < 10 * len(json.dumps(turns))


def test_the_corpus_is_read_whole(shared, look):
    found = load(shared / "corpora" / "taubench_airline_gpt4o.jsonl")
    assert len(found) == 200
    assert sum(len(reply.calls) for trace in found for reply in look.replies(trace)) == 1164
