"""The kind `invalid_arguments` of models."""

from __future__ import annotations

import json

import pytest

from squall.call import ModelRequest, Reply, ToolOffer, ToolUse
from squall.faults.kinds.model.invalid_arguments import KIND

CALL = ToolUse("get_order", '{"order_id": "ord_1", "lines": 2}', "1")


@pytest.mark.parametrize(
    ("how", "args"),
    [
        ("wrong_type", {"order_id": 7, "lines": 2}),
        ("missing", {"lines": 2}),
        ("extra", {"order_id": "ord_1", "lines": 2, "notes": ""}),
    ],
)
def test_they_are_json_that_the_tool_does_not_take(trial, how, args):
    reply = trial.said(KIND, Reply(calls=(CALL,)), how=how)
    assert json.loads(reply.calls[0].arguments) == args
    assert reply.finish is None


def test_how_is_drawn_where_it_is_not_stated(trial):
    found = {trial.said(KIND, Reply(calls=(CALL,)), draw=share).calls[0].arguments for share in (0, 0.3, 0.5, 0.8)}
    assert len(found) == 4


def test_a_tool_that_takes_anything_cannot_be_given_what_it_refuses(trial):
    request = ModelRequest("chat", "gpt-5-mini", tools=(ToolOffer("get_order"),))
    assert trial.said(KIND, Reply(calls=(CALL,)), request) is None


def test_nothing_is_known_of_a_tool_that_was_not_offered(trial):
    assert trial.said(KIND, Reply(calls=(ToolUse("pay"),))) is None
    assert trial.said(KIND, Reply("Done.")) is None


def test_its_example_parses(trial):
    assert trial.example(KIND)
