"""Texts that must never appear in the messages."""

from __future__ import annotations

import pytest

from squall.call import Message, ToolUse
from squall.errors import UsageError
from squall.models import NoMatch
from squall.models.sentinels import Sentinels


def test_messages_without_them_pass(asked):
    Sentinels(["4111"]).check(asked("My card", ("assistant", "4 111")))
    Sentinels().check(asked("4111"))


def test_the_message_that_holds_one_is_named(asked):
    with pytest.raises(NoMatch) as caught:
        Sentinels(["x", "4111"]).check(asked("Hello", Message("tool", "Card 4111", answers="1", place="input.3")))
    assert str(caught.value) == (
        "a text that must never reach the model is in the messages: the sentinel '4111' stands in input.3 (tool)"
    )


@pytest.mark.parametrize("role", ["system", "user", "assistant", "tool"])
def test_no_role_is_spared(asked, role):
    with pytest.raises(NoMatch):
        Sentinels("4111").check(asked("a", (role, "4111"), "b"))


@pytest.mark.parametrize("arguments", ['{"note":"Zoë\\"s"}', '{"note":"Zo\\u00eb\\"s"}'])
def test_in_json_one_is_found_however_it_is_spelt(asked, arguments):
    with pytest.raises(NoMatch):
        Sentinels(['Zoë"s']).check(asked(Message("assistant", calls=(ToolUse("pay", arguments, "1"),))))


def test_their_case_counts(asked):
    Sentinels(["SECRET"]).check(asked("secret"))


@pytest.mark.parametrize("wrong", ["", 5, None])
def test_what_is_no_text_is_refused(wrong):
    with pytest.raises(UsageError) as caught:
        Sentinels([wrong])
    assert str(caught.value) == f"a sentinel cannot be {wrong!r}\n    Write text that must never reach the model."
