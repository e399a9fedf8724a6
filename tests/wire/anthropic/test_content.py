"""Contents of messages: which blocks make which messages, and which blocks are refused."""

from __future__ import annotations

import pytest
import typing_extensions
from anthropic.types import ContentBlockParam
from anthropic.types.beta import BetaContentBlockParam
from anthropic.types.tool_result_block_param import Content

from squall.call import BadRequest, Message, ToolUse
from squall.wire.anthropic.content import read_message, read_system
from squall.wire.anthropic.fields import BLOCKS, IN_RESULTS

DATA = {"type": "base64", "media_type": "image/png", "data": "aGk="}
PICTURE = {"type": "image", "source": DATA}
TEXT = {"type": "text", "text": "Hello"}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "pay", "input": {"to": "bob"}}


def result(**more):
    return {"type": "tool_result", "tool_use_id": "toolu_1", **more}


def user(*blocks):
    return list(read_message({"role": "user", "content": list(blocks)}, "messages.0"))


def assistant(*blocks):
    return list(read_message({"role": "assistant", "content": list(blocks)}, "messages.0"))


def test_texts_are_joined_and_all_parts_are_counted():
    assert user(TEXT, PICTURE, TEXT) == [Message("user", "Hello\nHello", parts=3, place="messages.0")]


def test_calls_are_those_of_the_assistant():
    thinking = {"type": "thinking", "thinking": "Hm", "signature": "abc"}
    calls = (ToolUse("pay", '{"to":"bob"}', "toolu_1"),)
    assert assistant(thinking, TEXT, CALL) == [Message("assistant", "Hello", calls, parts=3, place="messages.0")]


def test_each_result_is_a_message_and_what_stands_around_stays_there():
    one, two = result(content="done"), result(content=[TEXT, PICTURE], is_error=True)
    assert user(TEXT, one, two, TEXT) == [
        Message("user", "Hello", place="messages.0"),
        Message("tool", "done", answers="toolu_1", place="messages.0"),
        Message("tool", "Hello", answers="toolu_1", failed=True, parts=2, place="messages.0"),
        Message("user", "Hello", place="messages.0"),
    ]


def test_a_result_may_have_no_content():
    expected = Message("tool", answers="toolu_1", parts=0, place="messages.0")
    assert user(result()) == user(result(content=None)) == user(result(content="")) == user(result(content=[]))
    assert user(result()) == [expected]


def test_empty_and_blank_contents_are_told_apart():
    blank = {"type": "text", "text": " "}
    found = [user()[0], user(blank)[0], user(result(content=[blank]))[0]]
    assert [(message.parts, message.blank) for message in found] == [(0, False), (1, True), (1, True)]
    for text, told in (("", (0, False)), (" ", (1, True)), ("Hi", (1, False))):
        (message,) = read_message({"role": "user", "content": text}, "messages.0")
        assert (message.parts, message.blank) == told


def test_a_system_prompt_is_text_or_blocks_of_it():
    assert read_system("Be brief") == Message("system", "Be brief", place="system")
    assert read_system([TEXT, TEXT]) == Message("system", "Hello\nHello", parts=2, place="system")
    assert read_system("") is read_system([]) is None


@pytest.mark.parametrize(("prompt", "place"), [([PICTURE], "system.0.type"), (3, "system"), (["x"], "system.0")])
def test_a_system_prompt_of_anything_else_is_refused(prompt, place):
    with pytest.raises(BadRequest) as refused:
        read_system(prompt)
    assert refused.value.param == place


def blocks_of(union, found):
    for one in typing_extensions.get_args(union):
        if not typing_extensions.is_typeddict(one):
            blocks_of(one, found)
        else:
            hints = typing_extensions.get_type_hints(one)
            (kind,) = typing_extensions.get_args(hints["type"])
            found.setdefault(kind, set()).update(hints)
    return found


def test_the_blocks_of_the_sdk_are_taken_with_their_fields_and_no_others():
    found = blocks_of(BetaContentBlockParam, blocks_of(ContentBlockParam, {}))
    assert found == BLOCKS
    assert set(blocks_of(Content, {})) == IN_RESULTS


REFUSED = {
    "no object": ("Hi", ""),
    "no role": ({"content": "Hi"}, ".role"),
    "another role": ({"role": "tool", "content": "Hi"}, ".role"),
    "no content": ({"role": "user"}, ".content"),
    "a null content": ({"role": "user", "content": None}, ".content"),
    "OpenAI's calls": ({"role": "assistant", "content": "Hi", "tool_calls": []}, ".tool_calls"),
    "a block that is none": ({"role": "user", "content": ["Hi"]}, ".content.0"),
    "a block without a type": ({"role": "user", "content": [TEXT, {}]}, ".content.1.type"),
    "another block": ({"role": "user", "content": [{"type": "image_url"}]}, ".content.0.type"),
    "a block of no type": ({"role": "user", "content": [{"type": []}]}, ".content.0.type"),
    "a block with more": ({"role": "user", "content": [{**TEXT, "name": "x"}]}, ".content.0.text.name"),
    "text without text": ({"role": "user", "content": [{"type": "text"}]}, ".content.0.text.text"),
    "text of another kind": ({"role": "user", "content": [{**TEXT, "text": 1}]}, ".content.0.text.text"),
    "a call of the user": ({"role": "user", "content": [CALL]}, ".content.0.type"),
    "a result of the assistant": ({"role": "assistant", "content": [result()]}, ".content.0.type"),
    "a picture of the system": ({"role": "system", "content": [PICTURE]}, ".content.0.type"),
    "a call without an id": (
        {"role": "assistant", "content": [{"type": "tool_use", "name": "pay", "input": {}}]},
        ".content.0.tool_use.id",
    ),
    "a call's input as text": (
        {"role": "assistant", "content": [{**CALL, "input": '{"to": "bob"}'}]},
        ".content.0.tool_use.input",
    ),
    "a result of nothing": (
        {"role": "user", "content": [{"type": "tool_result"}]},
        ".content.0.tool_result.tool_use_id",
    ),
    "a result of a number": ({"role": "user", "content": [result(content=5)]}, ".content.0.tool_result.content"),
    "a result with a word in it": (
        {"role": "user", "content": [result(content=["x"])]},
        ".content.0.tool_result.content.0",
    ),
    "a result with a call in it": (
        {"role": "user", "content": [result(content=[CALL])]},
        ".content.0.tool_result.content.0.type",
    ),
    "an error that is none": (
        {"role": "user", "content": [result(is_error="no")]},
        ".content.0.tool_result.is_error",
    ),
    "a picture of another kind": (
        {"role": "user", "content": [{"type": "image", "source": {**DATA, "media_type": "image/tiff"}}]},
        ".content.0.image.source.media_type",
    ),
    "a picture without data": (
        {"role": "user", "content": [{"type": "image", "source": {"type": "base64", "media_type": "image/png"}}]},
        ".content.0.image.source.data",
    ),
    "a picture from nowhere": (
        {"role": "user", "content": [{"type": "image", "source": {"type": "url"}}]},
        ".content.0.image.source.url",
    ),
    "a picture as text": ({"role": "user", "content": [{"type": "image", "source": "x"}]}, ".content.0.image.source"),
}


@pytest.mark.parametrize(("message", "place"), REFUSED.values(), ids=REFUSED)
def test_a_message_is_refused_where_it_is_wrong(message, place):
    with pytest.raises(BadRequest) as refused:
        list(read_message(message, "messages.3"))
    assert refused.value.param == f"messages.3{place}"
    assert refused.value.message.startswith(f"messages.3{place}: ")


@pytest.mark.parametrize(
    "source", [{"type": "url", "url": "https://example.com/a.png"}, {"type": "file", "file_id": "f"}]
)
def test_pictures_come_from_elsewhere_too(source):
    assert user({"type": "image", "source": source})[0].parts == 1


DOCUMENT = {"type": "document", "source": {"type": "text", "media_type": "text/plain", "data": "of the contract"}}
IN_PARTS = {"type": "document", "source": {"type": "content", "content": [{"type": "text", "text": "in parts"}]}}
IN_ONE = {"type": "document", "source": {"type": "content", "content": "in one"}}
FOUND = {"type": "search_result", "source": "s", "title": "t", "content": [{"type": "text", "text": "found"}]}
PDF = {"type": "document", "source": {"type": "base64", "media_type": "application/pdf", "data": "AAAA"}}


def test_documents_and_results_of_searches_are_read_where_they_are_text():
    blocks = [DOCUMENT, IN_PARTS, IN_ONE, FOUND, PDF, {"type": "text", "text": "What does it say?"}]
    said = "of the contract\nin parts\nin one\nfound\nWhat does it say?"
    [message] = user(*blocks)
    assert (message.text, message.parts, message.blank) == (said, 6, False)
    [answer] = user(result(content=blocks))
    assert (answer.text, answer.parts, answer.blank) == (said, 6, False)


@pytest.mark.parametrize("source", [{"type": "text", "data": 5}, {"type": "text"}, {"type": "content", "content": [5]}])
def test_a_document_that_holds_no_text_has_none(source):
    [message] = user({"type": "document", "source": source})
    assert message.text == ""
