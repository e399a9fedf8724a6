"""The kind `truncated_arguments` of models."""

from __future__ import annotations

from squall.call import Reply, ToolUse
from squall.faults.kinds.model.truncated_arguments import KIND

CALL = ToolUse("pay", '{"amount": 1200}', "1")


def test_the_text_of_the_arguments_is_cut_and_nothing_says_so(trial):
    reply = trial.said(KIND, Reply(calls=(CALL,), finish="tool_calls"))
    assert reply == Reply(calls=(ToolUse("pay", '{"amount', "1"),), finish="tool_calls")


def test_of_several_calls_the_drawn_one_is_cut(trial):
    reply = trial.said(KIND, Reply(calls=(CALL, CALL)), draw=0.9, keep=0)
    assert [call.arguments for call in reply.calls] == [CALL.arguments, ""]


def test_what_still_parses_is_not_cut(trial):
    odd = ToolUse("pay", "1200")
    assert trial.said(KIND, Reply(calls=(odd,))) is None
    assert trial.said(KIND, Reply(calls=(odd, CALL))).calls == (odd, ToolUse("pay", '{"amount', "1"))


def test_without_a_call_there_is_nothing_to_cut(trial):
    assert trial.said(KIND, Reply("Done.")) is None


def test_its_example_parses(trial):
    assert trial.example(KIND)
