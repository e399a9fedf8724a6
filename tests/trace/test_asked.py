from __future__ import annotations

import msgspec
import pytest

from squall.trace.asked import MOST_HEADS, Conversations, kept

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


@pytest.mark.parametrize("length", [0, 1, 15, 16, 300, 70_000])
def test_conversations_of_any_length_are_told_apart_where_messages_end(talk, length):
    said = list(range(length))
    talk.take(1, "model.chat", {"messages": said})
    again, longer, other = (
        talk.take(call, "model.chat", {"messages": said + more}) for call, more in ((2, []), (3, [1]), (4, [260]))
    )
    assert [bytes(each.messages) for each in (again, longer, other)] == [b"[]", b"[1]", b"[260]"]
    assert [each.continues for each in (longer, other)] == ([2, 2] if length else [None, None])


def test_what_is_said_as_text_or_in_a_tuple_is_messages_too(talk):
    talk.take(1, "model.responses", {"input": "hi"})
    asked = talk.take(2, "model.responses", {"input": ({"role": "user", "content": "hi"}, {"role": "user"})})
    assert (asked.continues, bytes(asked.messages)) == (1, b'[{"role":"user"}]')
    assert bytes(talk.take(3, "model.responses", {"input": 7}).messages) == b"[]"
    assert bytes(talk.take(4, "model.responses", {}).messages) == b"[]"
    assert bytes(talk.take(5, "model.embeddings", {"input": "hi"}).messages) == b"[]"


def test_an_agent_that_changes_a_message_in_place_changes_nothing_that_was_taken(talk):
    message, metadata = {"role": "user", "content": "hi"}, {"a": 1}
    body = {"messages": [message], "metadata": metadata}
    taken = kept(body)
    message["content"], metadata["a"] = "changed", 2
    first = talk.parted(1, "model.chat", taken)
    assert bytes(first.messages) == b'[{"content":"hi","role":"user"}]'
    assert first.rest == {"metadata": {"a": 1}}
    changed = talk.take(2, "model.chat", body)
    assert (changed.continues, bytes(changed.messages)) == (None, b'[{"content":"changed","role":"user"}]')


def test_a_conversation_that_lost_its_beginning_is_another(talk):
    asks(talk, 1, "abc")
    assert asks(talk, 2, "bcd") == (None, '["b","c","d"]', "[]")


def test_the_order_of_keys_makes_no_other_message(talk):
    talk.take(1, "model.chat", {"messages": [{"role": "user", "content": "hi"}]})
    asked = talk.take(2, "model.chat", {"messages": [{"content": "hi", "role": "user"}, {"b": 1, "a": 2}]})
    assert (asked.continues, bytes(asked.messages)) == (1, b'[{"a":2,"b":1}]')


@pytest.mark.parametrize("odd", ["\ud800", 2**70, {1: "a"}, object, b"bytes", float("nan"), {"b", "a"}])
def test_what_json_cannot_hold_is_taken_in_a_plain_form(talk, odd):
    asked = talk.take(1, "model.chat", {"messages": [odd], "tools": [odd], "user": odd})
    assert len(msgspec.json.decode(asked.messages)) == len(msgspec.json.decode(asked.tools)) == 1
    assert msgspec.json.encode(asked.rest)
    assert talk.take(2, "model.chat", {"messages": [odd, "more"], "tools": [odd]}).continues == 1


def test_what_is_nested_too_deeply_to_be_read_is_said_to_be_so(talk):
    deep = b"\x91" * 100_000 + b"\xc0"
    asked = talk.parted(1, "model.chat", b"\x81\xa8messages" + deep)
    assert (bytes(asked.messages), asked.rest) == (b"[]", {"body": "<nested too deeply>"})


@pytest.mark.parametrize("depth", [100, 5000])
def test_messages_of_any_depth_are_taken(talk, depth):
    deep: list[object] = []
    for _ in range(depth):
        deep = [deep]
    asked = talk.take(1, "model.chat", {"messages": [deep]})
    assert bytes(asked.messages).startswith(b"[[")
