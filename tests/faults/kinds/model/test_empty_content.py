"""The kind `empty_content` of models."""

from __future__ import annotations

import pytest

from squall.call import Reply, ToolUse
from squall.faults.kinds.model.empty_content import KIND


@pytest.mark.parametrize("reply", [Reply("Done."), Reply(calls=(ToolUse("pay"),)), Reply(refusal="No.")])
def test_whatever_was_to_be_said_is_an_empty_text(trial, reply):
    assert trial.said(KIND, reply) == Reply("", finish="stop")


def test_what_is_empty_already_cannot_be_emptied(trial):
    assert trial.said(KIND, Reply("")) is None


def test_its_example_parses(trial):
    assert trial.example(KIND)
