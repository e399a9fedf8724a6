"""The kind `reused_call_id` of models."""

from __future__ import annotations

import pytest

from squall.call import Message, ModelRequest, Reply, ToolUse
from squall.faults.kinds.model.reused_call_id import KIND

BEFORE = ModelRequest(
    "chat",
    "gpt-5-mini",
    messages=(Message("assistant", calls=(ToolUse("pay", "{}", "call_1"),)), Message("tool", "ok", answers="call_1")),
)
TWO = Reply(calls=(ToolUse("pay"), ToolUse("pay")))


def test_a_call_has_the_id_of_an_earlier_one(trial):
    assert [call.id for call in trial.said(KIND, TWO, BEFORE).calls] == ["call_1", None]


def test_at_the_beginning_two_calls_of_a_reply_have_one(trial):
    one, other = (call.id for call in trial.said(KIND, TWO).calls)
    assert one == other == "call_" + "0" * 24
    assert [call.id for call in trial.said(KIND, TWO, BEFORE, of="reply").calls] == [one, one]


def test_an_id_that_the_brain_has_given_is_used(trial):
    reply = Reply(calls=(ToolUse("pay", "{}", "mine"), ToolUse("pay")))
    assert [call.id for call in trial.said(KIND, reply).calls] == ["mine", "mine"]


def test_ids_are_those_of_the_endpoint(trial):
    reply = trial.at_model(KIND, "model.messages").change(TWO, ModelRequest("messages", "claude-sonnet-4-5"))
    assert reply.calls[1].id.startswith("toolu_")


@pytest.mark.parametrize("reply", [Reply("Done."), Reply(calls=(ToolUse("pay"),))])
def test_where_there_is_no_other_call_it_does_not_fire(trial, reply):
    assert trial.said(KIND, reply) is None
    assert trial.said(KIND, TWO, of="conversation") is None
    assert trial.said(KIND, reply, BEFORE, of="reply") is None


def test_its_example_parses(trial):
    assert trial.example(KIND)
