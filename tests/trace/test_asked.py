from __future__ import annotations

import pytest

from squall.trace.asked import MOST_HEADS, Conversations

TOOLS = [{"name": "pay"}]


def asks(talk, call, texts, tools=()):
    asked = talk.take(call, "model.chat", {"messages": list(texts), "tools": list(tools)})
    return asked.continues, bytes(asked.messages).decode(), asked.tools and bytes(asked.tools).decode()


@pytest.fixture
def talk():
    return Conversations()


def test_a_call_continues_the_longest_that_it_begins_with(talk):
    assert asks(talk, 1, "a") == (None, '["a"]', "[]")
    assert asks(talk, 2, "ab") == (1, '["b"]', None)
    assert asks(talk, 3, "abc") == (2, '["c"]', None)
    assert asks(talk, 4, "ax") == (1, '["x"]', None)
    assert asks(talk, 5, "b") == (None, '["b"]', "[]")
    assert asks(talk, 6, "axy") == (4, '["y"]', None)


def test_a_text_that_only_begins_alike_is_another(talk):
    talk.take(1, "model.chat", {"messages": [1]})
    assert talk.take(2, "model.chat", {"messages": [12]}).continues is None


def test_of_equal_ones_it_is_the_latest_with_the_same_tools(talk):
    asks(talk, 1, "a", TOOLS)
    asks(talk, 2, "a")
    asks(talk, 3, "a", TOOLS)
    asks(talk, 4, "a")
    assert asks(talk, 5, "ab", TOOLS) == (3, '["b"]', None)
    assert asks(talk, 6, "ac", [{"name": "other"}])[0] == 4


def test_a_repeated_request_continues_itself_with_nothing_new(talk):
    asks(talk, 1, "ab")
    assert asks(talk, 2, "ab") == (1, "[]", None)


def test_old_conversations_are_forgotten(talk):
    for call in range(1, MOST_HEADS + 2):
        asks(talk, call, [f"{call}"])
    assert asks(talk, 200, ["1", "more"])[0] is None
    assert asks(talk, 201, ["3", "more"])[0] == 3
    for call in range(300, 300 + 3 * MOST_HEADS):
        asks(talk, call, "a" * (call % 7))
    assert len(talk._longest) == len(talk._heads) == MOST_HEADS


def test_no_messages_are_continued_by_nobody(talk):
    asks(talk, 1, "")
    assert asks(talk, 2, "a")[0] is None


def test_what_names_the_reply_that_it_goes_on_with_continues_the_call_of_that(talk):
    for call, name in ((1, "r1"), (2, "r2")):
        asks(talk, call, ["hi"], TOOLS)
        talk.replied(call, name)
    body = {"input": ["hi"], "previous_response_id": "r1"}
    asked = talk.take(3, "model.responses", body)
    assert (asked.continues, bytes(asked.messages), bytes(asked.tools)) == (1, b'["hi"]', b"[]")


def test_in_a_thread_the_tools_are_those_from_before_unless_they_are_given(talk):
    talk.take(1, "model.messages", {"messages": ["hi"], "tools": TOOLS, "thread": {"type": "create"}})
    talk.replied(1, "m1")
    body = {"messages": ["more"], "thread": {"type": "continue", "previous_message_id": "m1"}}
    asked = talk.take(2, "model.messages", body)
    assert (asked.continues, bytes(asked.messages), asked.tools) == (1, b'["more"]', None)
    asked = talk.take(3, "model.messages", {**body, "tools": []})
    assert (asked.continues, bytes(asked.tools)) == (1, b"[]")
