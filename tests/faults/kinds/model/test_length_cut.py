"""The kind `length_cut` of models."""

from __future__ import annotations

from squall.call import Reply, ToolUse
from squall.faults.kinds.model.length_cut import KIND


def test_half_of_a_text_comes_and_the_reason_is_its_length(trial):
    assert trial.said(KIND, Reply("abcdef", finish="stop")) == Reply("abc", finish="length")


def test_arguments_are_cut_where_it_comes_to_that(trial):
    reply = Reply(calls=(ToolUse("pay", '{"a": 1}', "1"), ToolUse("pay", '{"b": 2}', "2")))
    cut = trial.said(KIND, reply, keep=0.75)
    assert cut == Reply(calls=(ToolUse("pay", '{"a": 1}', "1"), ToolUse("pay", '{"b"', "2")), finish="length")
    assert trial.said(KIND, reply, keep=0.3).calls == (ToolUse("pay", '{"a"', "1"),)


def test_what_says_nothing_cannot_be_cut(trial):
    assert trial.said(KIND, Reply(refusal="No.")) is None
    assert trial.said(KIND, Reply("")) is None


def test_its_example_parses(trial):
    assert trial.example(KIND)
