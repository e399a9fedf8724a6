"""Completions that were to be kept are found again, listed page by page, changed and deleted; others are not there."""

from __future__ import annotations

from typing import Any

import pytest
from openai.types.chat import ChatCompletion, ChatCompletionDeleted
from openai.types.chat.chat_completion_store_message import ChatCompletionStoreMessage
from pydantic import TypeAdapter

from squall.call import BadRequest, Reply
from squall.wire.dialect import Stamp
from squall.wire.openai.chat import Chat
from squall.wire.openai.stored import EXAMPLE, Completions


@pytest.fixture
def kept():
    return Completions()


def keep(kept, name, **fields):
    chat = Chat(kept)
    body = {"model": "gpt-x", "messages": [{"role": "user", "content": "Hello"}], "store": True, **fields}
    request = chat.read(body, {})
    write = chat.frames if request.stream else chat.whole
    write(request, Reply("Hi"), Stamp(1, lambda prefix, place=0: prefix + name))
    return f"chatcmpl-{name}"


def ids(page):
    return [each["id"].removeprefix("chatcmpl-") for each in page["data"]]


def missing(function, *args):
    with pytest.raises(BadRequest) as caught:
        function(*args)
    return caught.value.status == 404


def test_a_completion_is_found_with_its_metadata(kept):
    name = keep(kept, "a", metadata={"user": "7"})
    found = TypeAdapter(ChatCompletion).validate_python(kept.retrieve(name), strict=True)
    assert found.choices[0].message.content == "Hi"
    assert kept.retrieve(name)["metadata"] == {"user": "7"}


def test_one_that_was_streamed_is_found_too(kept):
    name = keep(kept, "a", stream=True)
    assert kept.retrieve(name)["choices"][0]["message"]["content"] == "Hi"


def test_the_same_id_twice_is_one_completion(kept):
    keep(kept, "a")
    keep(kept, "a", metadata={"k": "2"})
    assert [each["metadata"] for each in kept.listing({})["data"]] == [{"k": "2"}]


@pytest.mark.parametrize("store", [False, None])
def test_one_that_was_not_to_be_kept_is_not_there(kept, store):
    name = keep(kept, "a", store=store)
    assert missing(kept.retrieve, name)
    assert missing(kept.update, name, {"metadata": {}})
    assert missing(kept.delete, name)
    assert missing(kept.messages, name, {})


def test_the_list_goes_from_page_to_page(kept):
    for name in "abc":
        keep(kept, name)
    first = kept.listing({"limit": "2"})
    assert (ids(first), first["has_more"], first["last_id"]) == (["a", "b"], True, "chatcmpl-b")
    second = kept.listing({"limit": "2", "after": first["last_id"]})
    assert (ids(second), second["has_more"]) == (["c"], False)
    assert ids(kept.listing({"order": "desc"})) == ["c", "b", "a"]
    assert ids(kept.listing({"after": "chatcmpl-z"})) == []
    assert kept.listing({"limit": "0"})["has_more"] is False


def test_the_list_can_be_of_one_model_or_of_some_metadata(kept):
    keep(kept, "a", model="one", metadata={"k": "1", "l": "1"})
    keep(kept, "b", model="two", metadata={"k": "1"})
    assert ids(kept.listing({"model": "two"})) == ["b"]
    assert ids(kept.listing({"metadata[k]": "1"})) == ["a", "b"]
    assert ids(kept.listing({"metadata[k]": "1", "metadata[l]": "1"})) == ["a"]


@pytest.mark.parametrize(
    ("query", "param"),
    [({"limit": "many"}, "limit"), ({"limit": "-1"}, "limit"), ({"limit": "101"}, "limit"), ({"order": "up"}, "order")],
)
def test_a_wrong_query_is_refused(kept, query, param):
    with pytest.raises(BadRequest) as caught:
        kept.listing(query)
    assert caught.value.param == param


def test_metadata_can_be_changed_and_taken_away(kept):
    name = keep(kept, "a", metadata={"k": "1"})
    assert kept.update(name, {"metadata": {"k": "2"}})["metadata"] == {"k": "2"}
    assert kept.retrieve(name)["metadata"] == {"k": "2"}
    assert kept.update(name, {"metadata": None})["metadata"] == {}


@pytest.mark.parametrize(
    ("body", "param"), [({}, "metadata"), ({"metadata": {"k": 1}}, "metadata.k"), ({"model": "other"}, "model")]
)
def test_nothing_else_can_be_changed(kept, body, param):
    name = keep(kept, "a")
    with pytest.raises(BadRequest) as caught:
        kept.update(name, body)
    assert (caught.value.param, caught.value.status) == (param, 400)


def test_a_deleted_one_is_gone(kept):
    name = keep(kept, "a")
    assert TypeAdapter(ChatCompletionDeleted).validate_python(kept.delete(name), strict=True).deleted
    assert missing(kept.retrieve, name)


def test_its_messages_are_listed_as_they_came(kept):
    parts = [{"type": "text", "text": "Hello"}]
    name = keep(kept, "a", messages=[{"role": "system", "content": "Be kind"}, {"role": "user", "content": parts}])
    page = kept.messages(name, {})
    assert [(each["role"], each["content"], each["content_parts"]) for each in page["data"]] == [
        ("system", "Be kind", None),
        ("user", None, parts),
    ]
    for each in page["data"]:  # the schema knows assistants only, while the provider's own example shows a user
        TypeAdapter(ChatCompletionStoreMessage).validate_python({**each, "role": "assistant"}, strict=True)


def test_a_conversation_with_calls_is_listed_as_published_but_for_who_speaks(kept, published):
    call = {"id": "c", "type": "function", "function": {"name": "pay", "arguments": "{}"}}
    messages: list[dict[str, Any]] = [
        {"role": "user", "content": "Pay"},
        {"role": "assistant", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "paid"},
        {"role": "assistant", "content": "It is paid."},
        {"role": "user", "name": "Bob", "content": [{"type": "text", "text": "Thanks"}]},
    ]
    page = kept.messages(keep(kept, "a", messages=messages), {})
    assert [each["role"] for each in page["data"]] == [each["role"] for each in messages]
    published("ChatCompletionMessageList", {**page, "data": [{**each, "role": "assistant"} for each in page["data"]]})


def test_the_oldest_goes_when_there_are_too_many():
    kept = Completions(most=2)
    for name in "abc":
        keep(kept, name)
    assert ids(kept.listing({})) == ["b", "c"]


def test_the_oldest_goes_when_they_weigh_too_much(kept):
    for name in "abc":
        keep(kept, name, messages=[{"role": "user", "content": "x" * 40_000_000}])
    assert ids(kept.listing({})) == ["c"]


def test_the_id_of_the_providers_reference_is_always_there_and_on_no_list(kept):
    TypeAdapter(ChatCompletion).validate_python(kept.retrieve(EXAMPLE), strict=True)
    assert kept.update(EXAMPLE, {"metadata": {"foo": "bar"}})["metadata"] == {"foo": "bar"}
    assert kept.delete(EXAMPLE)["deleted"]
    assert kept.retrieve(EXAMPLE)["metadata"] == {}
    assert ids(kept.messages(EXAMPLE, {})) == [f"{EXAMPLE}-0"]
    assert kept.listing({})["data"] == []
