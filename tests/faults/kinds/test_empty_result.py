"""The kind `empty_result`."""

from __future__ import annotations

from typing import Any

from squall.call import Target
from squall.faults import Params
from squall.faults.kinds.empty_result import KIND


def test_a_list_has_no_rows(trial):
    reply = trial.act(KIND, target="orders.list_orders").reply
    assert reply.ok
    assert reply.value == []


def test_a_page_of_a_list_is_a_last_one_without_rows():
    empty: dict[str, Any] = {"orders": [], "next_cursor": None}
    action = KIND.act(Params(), lambda _name: 0.0, Target("orders.list", "list", empty=empty))
    assert action.reply is not None
    assert action.reply.value == empty


def test_any_other_result_has_no_fields(trial):
    reply = trial.act(KIND, target="orders.get_order").reply
    assert reply.ok
    assert reply.value == {}


def test_nothing_has_happened_unless_the_rule_says_otherwise(trial):
    assert KIND.phase == "before"
    assert trial.example(KIND).phase == "before"


def test_its_example_parses(trial):
    assert trial.example(KIND).targets == ("payments.list_refunds",)
