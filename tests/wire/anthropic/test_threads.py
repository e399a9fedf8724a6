"""Conversations that the server holds: what a turn goes on with, and what is refused."""

from __future__ import annotations

import pytest

from squall.call import BadRequest, Reply, ToolUse
from squall.wire.anthropic.errors import AnthropicShapes
from squall.wire.anthropic.messages import Messages
from squall.wire.anthropic.threads import Threads
from squall.wire.dialect import Stamp

TOOL = {"name": "pay", "input_schema": {"type": "object"}}
RESULT = {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "paid"}]}
CALL = Reply(calls=(ToolUse("pay", '{"to":"Bob"}', "t1"),))


def body(messages, thread, **more):
    return {"model": "m", "max_tokens": 9, "messages": messages, "thread": thread, **more}


def created(**more):
    return body([{"role": "user", "content": "Pay Bob."}], {"type": "create"}, **more)


def continued(name, messages=(RESULT,), **more):
    return body(list(messages), {"type": "continue", "previous_message_id": name}, **more)


@pytest.mark.parametrize("stream", [False, True])
def test_a_turn_goes_on_with_all_that_came_before_and_with_the_tools_of_the_first(headers, stamp, stream):
    messages = Messages()
    first = messages.read(created(tools=[TOOL], system="Be brief.", stream=stream), headers)
    if stream:
        messages.frames(first, CALL, stamp)
    else:
        messages.whole(first, CALL, stamp)
    sent = continued(stamp.id("msg_", 0), tool_choice={"type": "any"})
    second = messages.read(sent, headers)
    assert [(each.role, each.text, each.place) for each in second.messages] == [
        ("system", "Be brief.", "system"),
        ("user", "Pay Bob.", "thread.0"),
        ("assistant", "", "thread.1"),
        ("tool", "paid", "messages.0"),
    ]
    assert second.messages[2].calls == CALL.calls
    assert [each.name for each in second.tools] == ["pay"]
    assert second.body == sent


def test_a_thread_goes_on_turn_after_turn_and_from_any_of_them(headers, stamp):
    messages = Messages()
    turns = {
        "a": (created(tools=[TOOL]), CALL),
        "b": (continued("a"), Reply("Paid.")),
        "c": (continued("b"), Reply("Bye.")),
    }
    for name, (sent, reply) in turns.items():
        messages.whole(messages.read(sent, headers), reply, Stamp(0, lambda *_, name=name: name))
    third = messages.read(continued("c", [{"role": "user", "content": "Bye"}]), headers)
    assert [each.text for each in third.messages][-3:] == ["paid", "Bye.", "Bye"]
    assert [each.name for each in third.tools] == ["pay"]
    assert len(messages.read(continued("a"), headers).messages) == 3


def test_a_turn_may_bring_nothing_new_and_an_empty_reply_leaves_nothing(headers, stamp):
    messages = Messages()
    messages.whole(messages.read(created(), headers), Reply(""), stamp)
    assert [each.text for each in messages.read(continued(stamp.id("msg_", 0), []), headers).messages] == ["Pay Bob."]


def test_only_what_asks_for_a_thread_is_kept(headers, stamp):
    messages = Messages()
    for thread in (None, ...):
        asked = {name: value for name, value in {**created(), "thread": thread}.items() if value is not ...}
        messages.whole(messages.read(asked, headers), CALL, stamp)
    with pytest.raises(BadRequest, match="there is no message 'msg_"):
        messages.read(continued(stamp.id("msg_", 0)), headers)


def test_an_unknown_message_is_refused_in_the_words_by_which_the_sdk_sends_everything_again(headers):
    with pytest.raises(BadRequest) as caught:
        Messages().read(continued("msg_9"), headers)
    assert caught.value.status == 404
    error = AnthropicShapes().error(caught.value, "req_1")["error"]
    assert error["type"] == "not_found_error"
    assert error["details"] == {"error_code": "thread_not_found"}
    assert "details" not in AnthropicShapes().error(BadRequest("no", code="other"), "req_1")["error"]


@pytest.mark.parametrize(
    ("thread", "message"),
    [
        ({"type": "fork"}, "thread.type"),
        ({"type": "continue"}, "previous_message_id"),
        ({"type": "continue", "previous_message_id": 7}, "previous_message_id"),
        ("create", "thread"),
        ({}, "thread.type"),
    ],
)
def test_a_thread_that_is_badly_formed_is_refused(headers, thread, message):
    with pytest.raises(BadRequest, match=message):
        Messages().read(body([{"role": "user", "content": "Hi"}], thread), headers)


def test_of_conversations_that_weigh_too_much_the_oldest_is_dropped(headers):
    threads = Threads()
    request = Messages().read(body([{"role": "user", "content": "x" * 40_000_000}], {"type": "create"}), headers)
    for name in ("a", "b"):
        threads.keep(request, name, [{"type": "text", "text": "Hello."}])
    assert threads.before(continued("b")) is not None
    with pytest.raises(BadRequest):
        threads.before(continued("a"))


def test_of_too_many_conversations_the_oldest_is_dropped(headers):
    threads = Threads(most=2)
    request = Messages().read(created(), headers)
    for name in ("a", "b", "b", "c"):
        threads.keep(request, name, [{"type": "text", "text": "Hello."}])
    assert threads.before(continued("b")) is not None
    with pytest.raises(BadRequest):
        threads.before(continued("a"))
