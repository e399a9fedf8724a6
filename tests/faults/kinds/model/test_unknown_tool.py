"""The kind `unknown_tool` of models."""

from __future__ import annotations

from squall.call import ModelRequest, Reply, ToolOffer, ToolUse
from squall.faults.kinds.model.unknown_tool import KIND

CALL = ToolUse("get_order", "{}", "1")


def test_the_name_is_nearly_that_of_the_tool(trial):
    names = [trial.said(KIND, Reply(calls=(CALL,)), draw=share).calls[0].name for share in (0, 0.3, 0.6, 0.9)]
    assert names == ["get_orders", "getOrder", "order_get", "functions.get_order"]


def test_a_name_that_was_offered_is_not_unknown(trial):
    request = ModelRequest("chat", "gpt-5-mini", tools=(ToolOffer("get_order"), ToolOffer("get_orders")))
    assert trial.said(KIND, Reply(calls=(CALL,)), request).calls[0].name == "getOrder"
    assert trial.said(KIND, Reply(calls=(CALL,)), request, name="get_orders") is None


def test_the_name_can_be_stated(trial):
    assert trial.said(KIND, Reply(calls=(CALL,)), name="refund").calls == (ToolUse("refund", "{}", "1"),)


def test_without_a_call_there_is_no_name(trial):
    assert trial.said(KIND, Reply("Done.")) is None


def test_its_example_parses(trial):
    assert trial.example(KIND)
