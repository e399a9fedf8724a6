"""Replies: each is a message of the SDK's, with the reason why it ended and tokens that add up."""

from __future__ import annotations

import pytest
from anthropic.types import Message

from squall.call import Reply, ToolUse, Usage
from squall.wire.anthropic.messages import Messages

PAY = ToolUse("pay", '{"to": "bob"}')


def said(asked, stamp, valid, reply, **changes):
    return valid(Message, Messages().whole(asked(**changes), reply, stamp))


def test_a_text_is_one_block(asked, stamp, valid):
    message = said(asked, stamp, valid, Reply(text="Hello"))
    assert [block.to_dict() for block in message.content] == [{"type": "text", "text": "Hello"}]
    assert (message.role, message.model, message.stop_reason, message.stop_sequence) == (
        "assistant",
        "m",
        "end_turn",
        None,
    )
    assert message.id.startswith("msg_")


def test_calls_have_ids_of_their_own_or_new_ones(asked, stamp, valid):
    message = said(asked, stamp, valid, Reply(text="Now", calls=(PAY, ToolUse("pay", "{}", "toolu_x"), PAY)))
    calls = message.content[1:]
    assert [call.input for call in calls] == [{"to": "bob"}, {}, {"to": "bob"}]
    assert calls[1].id == "toolu_x"
    assert calls[0].id.startswith("toolu_")
    assert len({call.id for call in calls}) == 3
    assert message.stop_reason == "tool_use"


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(text="x", finish="stop"), "end_turn"),
        (Reply(text="x", finish="length"), "max_tokens"),
        (Reply(calls=(PAY,), finish="length"), "max_tokens"),
        (Reply(calls=(PAY,), finish="tool_calls"), "tool_use"),
        (Reply(text="x", finish="content_filter"), "refusal"),
        (Reply(refusal="No"), "refusal"),
        (Reply(text="x", finish="pause_turn"), "pause_turn"),
    ],
)
def test_why_a_reply_ended_is_told_in_anthropics_word(asked, stamp, valid, reply, reason):
    message = said(asked, stamp, valid, reply)
    assert message.stop_reason == reason
    assert (message.stop_details is not None) is (reason == "refusal")


def test_the_stop_sequence_that_ended_a_text_is_named(asked, stamp, valid):
    message = said(asked, stamp, valid, Reply(text="x", finish="stop", stopped_by="END"))
    assert (message.stop_reason, message.stop_sequence) == ("stop_sequence", "END")


def test_a_refusal_is_said_in_a_text(asked, stamp, valid):
    assert said(asked, stamp, valid, Reply(refusal="I will not")).content[0].text == "I will not"


@pytest.mark.parametrize("reply", [Reply(), Reply(text=""), Reply(text=None, calls=())])
def test_nothing_said_is_no_content(asked, stamp, valid, reply):
    assert said(asked, stamp, valid, reply).content == []


def test_cut_arguments_leave_the_members_that_had_come(asked, stamp, valid):
    message = said(asked, stamp, valid, Reply(calls=(ToolUse("pay", '{"to": "bob", "amount": 1'),)))
    assert message.content[0].input == {"to": "bob", "amount": 1}


def test_reasoning_comes_first_and_is_signed(asked, stamp, valid):
    message = said(asked, stamp, valid, Reply(text="Yes", reasoning="Hm"))
    assert [block.type for block in message.content] == ["thinking", "text"]
    assert message.content[0].signature
    assert message.usage.output_tokens_details.thinking_tokens == 1


def test_cached_tokens_are_no_part_of_the_input(asked, stamp, valid):
    usage = said(asked, stamp, valid, Reply(text="Yes", usage=Usage(10, 7, 4))).usage
    assert (usage.input_tokens, usage.cache_read_input_tokens, usage.output_tokens) == (6, 4, 7)


def test_tokens_are_counted_where_the_reply_does_not_say(asked, stamp, valid):
    usage = said(asked, stamp, valid, Reply(text="one two three")).usage
    assert usage.output_tokens == 3
    assert usage.input_tokens > 0


def test_a_body_in_which_nobody_said_anything_is_still_a_message(asked, stamp, valid):
    body = Messages().whole(asked(), Reply(text="Hello"), stamp)
    assert valid(Message, Messages().empty(body)).content == []
    assert body["content"] != []
