"""Where replies end early: stop sequences, and the limit of tokens."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.call import ModelRequest, Reply, ToolUse
from squall.models import tokens
from squall.models.cut import cut

ARGUMENTS = '{"to": "bob", "amount": 100}'
REPLIES = st.builds(
    Reply,
    text=st.none() | st.text(),
    reasoning=st.none() | st.text(),
    calls=st.lists(st.builds(ToolUse, st.just("pay"), st.just(ARGUMENTS)), max_size=2).map(tuple),
)


def request(**changes):
    return ModelRequest("chat", "m", **changes)


def test_a_reply_that_fits_is_left_as_it_is():
    reply = Reply(text="Good morning", calls=(ToolUse("pay", ARGUMENTS),))
    assert cut(reply, request()) is reply
    assert cut(reply, request(stop=("END", ""), max_tokens=1000)) is reply
    assert cut(reply, request(max_tokens=tokens.of_reply(reply))) is reply


def test_text_ends_before_the_first_stop_sequence_and_no_call_follows():
    reply = Reply(text="one two END three STOP", calls=(ToolUse("pay", ARGUMENTS),), finish="tool_calls")
    ended = cut(reply, request(stop=("STOP", "END")))
    assert (ended.text, ended.calls, ended.finish, ended.stopped_by) == ("one two ", (), "stop", "END")


def test_text_is_cut_to_its_tokens_and_ends_for_its_length():
    ended = cut(Reply(text="one two three four", calls=(ToolUse("pay", ARGUMENTS),)), request(max_tokens=2))
    assert (ended.text, ended.calls, ended.finish) == ("one two", (), "length")


def test_reasoning_uses_up_tokens_before_the_text_does():
    ended = cut(Reply(text="one two three", reasoning="first think"), request(max_tokens=3))
    assert (ended.reasoning, ended.text, ended.finish) == ("first think", "one", "length")


def test_the_arguments_of_a_call_are_cut_too():
    ended = cut(Reply(calls=(ToolUse("pay", ARGUMENTS), ToolUse("pay", ARGUMENTS))), request(max_tokens=9))
    assert [call.arguments for call in ended.calls] == [tokens.first(ARGUMENTS, 5)]
    assert ended.finish == "length"


def test_a_stop_sequence_beyond_the_limit_is_not_what_ended_the_text():
    ended = cut(Reply(text="one two three four END"), request(stop=("END",), max_tokens=2))
    assert (ended.text, ended.finish, ended.stopped_by) == ("one two", "length", None)


def test_a_limit_of_none_at_all_leaves_nothing():
    assert cut(Reply(text="one"), request(max_tokens=0)) == Reply(text="", finish="length")


@given(REPLIES, st.integers(0, 30), st.lists(st.text(min_size=1, max_size=2), max_size=2).map(tuple))
def test_no_reply_goes_beyond_its_limit_or_holds_what_stops_it(reply, limit, stop):
    ended = cut(reply, request(max_tokens=limit, stop=stop))
    assert tokens.of_reply(ended) <= limit
    assert not any(one in (ended.text or "") for one in stop)
    assert (reply.text or "").startswith(ended.text or "")


@pytest.mark.parametrize("stop", [("b", "bc"), ("bc", "b")])
def test_of_two_sequences_at_one_place_the_one_named_first_has_stopped_it(stop):
    assert cut(Reply(text="abc"), request(stop=stop)).stopped_by == stop[0]
