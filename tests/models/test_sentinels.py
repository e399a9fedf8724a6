"""Texts that must never appear in the messages."""

from __future__ import annotations

from typing import Any

import pytest

from squall.call import Message, ModelRequest, ToolUse
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


@pytest.mark.parametrize(
    ("body", "where"),
    [
        ({"messages": [{"role": "user", "content": [{"type": "document", "source": {"data": "a 4111 b"}}]}]}, "source"),
        ({"messages": [{"role": "assistant", "content": [{"type": "thinking", "thinking": "4111"}]}]}, "thinking"),
        ({"messages": [{"role": "user", "content": [{"type": "file", "file": {"filename": "4111.pdf"}}]}]}, "filename"),
        ({"messages": [{"role": "assistant", "tool_calls": [{"function": {"name": "f4111"}}]}]}, "name"),
        ({"system": [{"type": "text", "text": "4111"}]}, "system.0.text"),
        ({"input": [{"type": "reasoning", "summary": [{"text": "4111"}]}]}, "input.0.summary.0.text"),
        ({"instructions": "4111"}, "instructions"),
    ],
)
def test_what_no_message_keeps_is_looked_through_too(body, where):
    with pytest.raises(NoMatch, match="4111") as caught:
        Sentinels(["4111"]).check(ModelRequest("chat", "m", body=body))
    assert where in caught.value.nearest


def test_kinds_roles_and_the_rest_of_a_body_are_no_messages():
    body = {"model": "4111", "metadata": {"a": "4111"}, "messages": [{"role": "4111", "content": [{"type": "4111"}]}]}
    Sentinels(["4111"]).check(ModelRequest("chat", "m", body=body))


def test_a_body_as_deep_as_can_be_read_is_looked_through():
    content: list[Any] = ["4111"]
    for _ in range(5_000):
        content = [content]
    with pytest.raises(NoMatch):
        Sentinels(["4111"]).check(ModelRequest("chat", "m", body={"messages": content}))
