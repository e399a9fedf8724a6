"""The kind `content_filter` of models."""

from __future__ import annotations

from squall.call import Reply, ToolUse
from squall.faults.kinds.model.content_filter import KIND


def test_nothing_is_let_through_unless_a_share_is_stated(trial):
    reply = Reply("Take this.", calls=(ToolUse("pay"),))
    assert trial.said(KIND, reply) == Reply("", finish="content_filter")
    assert trial.said(KIND, reply, keep=0.5) == Reply("Take ", finish="content_filter")


def test_what_is_filtered_already_is_not_filtered_again(trial):
    assert trial.said(KIND, Reply("", finish="content_filter")) is None


def test_its_example_parses(trial):
    assert trial.example(KIND)
