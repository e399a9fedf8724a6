"""Tokens: stable, plausible, and a text is its tokens put together."""

from __future__ import annotations

import tracemalloc

from hypothesis import given
from hypothesis import strategies as st

from squall.call import Message, ModelRequest, Reply, ToolOffer, ToolUse, Usage
from squall.models import tokens

ENGLISH = (
    "The refund was sent to the customer's card yesterday; it usually takes three to five working days until it shows "
    "on the statement. If nothing has arrived by next Friday, please write to us again, and quote order 48213."
)


@given(st.text())
def test_a_text_is_its_tokens_put_together(text):
    pieces = tokens.split(text)
    assert "".join(pieces) == text
    assert tokens.count(text) == len(pieces)


@given(st.text(), st.integers(-1, 20))
def test_the_beginning_of_a_text_has_at_most_the_tokens_asked_for(text, limit):
    beginning = tokens.first(text, limit)
    assert text.startswith(beginning)
    assert tokens.split(beginning) == tokens.split(text)[: max(limit, 0)]


def test_english_has_about_four_characters_a_token():
    assert 3.3 < len(ENGLISH) / tokens.count(ENGLISH) < 4.8


def test_other_alphabets_and_long_words_count_for_more():
    assert tokens.count("お問い合わせありがとうございます") >= 6
    assert tokens.count("internationalization") == 3


def test_an_empty_text_has_no_tokens_and_a_long_one_is_counted_like_a_short_one():
    assert tokens.count("") == 0
    assert tokens.count("word " * 2000) == sum(map(len, map(tokens.split, ["word"] + [" word"] * 1999))) + 1


def test_the_tokens_of_a_very_long_text_are_counted_without_being_held():
    text = "a b " * 250_000
    tracemalloc.start()
    try:
        assert tokens.count(text) == 500_001
        assert tracemalloc.get_traced_memory()[1] < len(text)
    finally:
        tracemalloc.stop()


def request(**changes):
    return ModelRequest("chat", "m", **{"messages": (Message("user", "Where is my order?"),), **changes})


def test_each_part_of_a_request_adds_to_its_tokens():
    plain = tokens.of_request(request())
    call = Message("assistant", calls=(ToolUse("find_order", '{"id": 1}'),))
    offer = ToolOffer("find_order", "Finds one.", {"type": "object"})
    assert tokens.of_request(request(tools=(offer,))) > plain
    assert tokens.of_request(request(messages=(*request().messages, call))) > plain + tokens.PER_MESSAGE
    assert tokens.of_request(request(messages=(Message("user", "Where is my order?", parts=2),))) > plain


def test_inputs_of_embeddings_count_as_text_or_as_the_tokens_that_they_are():
    asked = ModelRequest("embeddings", "m", inputs=("two words", (1, 2, 3)))
    assert tokens.of_request(asked) == 5
    assert tokens.of_vectors(asked) == Usage(5, 0)


def test_a_reply_counts_what_it_says_what_it_calls_and_what_it_thought():
    assert tokens.of_reply(Reply()) == 0
    thought = Reply(text="Hello there", reasoning="A greeting", calls=(ToolUse("wave", "{}"),))
    assert tokens.of_reply(thought) == 2 + 2 + tokens.PER_CALL + 2
    usage = tokens.usage_of(request(n=2), thought)
    assert (usage.output, usage.reasoning) == (2 * tokens.of_reply(thought), 4)


def test_usage_that_a_reply_states_is_kept():
    assert tokens.usage_of(request(), Reply(text="Hi", usage=Usage(7, 9))) == Usage(7, 9)


def test_several_texts_count_as_each_of_them():
    assert tokens.of_texts(["two words", "one"]) == 3
