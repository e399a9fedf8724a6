"""The kind `paged_tools`."""

from __future__ import annotations

import pytest
from msgspec.structs import replace
from pydantic import ValidationError

from squall.call import LISTING
from squall.errors import UsageError
from squall.faults import Inline, parse_plan
from squall.faults.kinds.paged_tools import KIND


def test_a_page_holds_as_many_tools_as_is_said(trial):
    assert trial.act(KIND, target="session.list_tools").page_size == 1
    assert trial.act(KIND, target="session.list_tools", page_size=7).page_size == 7


@pytest.mark.parametrize("size", [0, -1, 1.5, "2"])
def test_a_page_holds_a_whole_number_from_one_on(trial, size):
    with pytest.raises(ValidationError):
        trial.act(KIND, target="session.list_tools", page_size=size)


def test_its_example_parses(trial):
    assert trial.example(KIND).targets == ("session.list_tools",)


@pytest.mark.parametrize(
    ("tools", "page_size", "said"),
    [
        (3, 3, "a page holds 3 tools, and there are 3"),
        (3, 9, "a page holds 9 tools, and there are 3"),
        (1, 1, "a page holds one tool, and there is 1"),
    ],
)
def test_a_page_that_holds_all_tools_could_never_be_one_of_several(tools, page_size, said):
    rule = {"target": "session.list_tools", "kind": "paged_tools", "page_size": page_size}
    with pytest.raises(UsageError) as caught:
        parse_plan(Inline([rule]), [replace(LISTING, size=tools)])
    assert str(caught.value) == f"faults[0]['page_size']: paged_tools could never fire: {said}"


def test_where_there_are_more_tools_than_a_page_holds_it_may_fire():
    rule = {"target": "session.list_tools", "kind": "paged_tools", "page_size": 2}
    assert parse_plan(Inline([rule]), [replace(LISTING, size=3)]).rules.faults


def test_it_is_no_fault_of_a_call(shop):
    wrong = shop.wrong_with("orders.get_order: [{ kind: paged_tools }]")
    assert "paged_tools could never fire: it is a fault of the session wire" in wrong


@pytest.mark.parametrize("plan", ["default: [{ kind: paged_tools }]", "default: [{ kind: timeout, nth: 1 }]"])
def test_a_rule_for_everything_is_about_operations(shop, plan):
    if "paged" in plan:
        assert "could never fire" in shop.wrong_with(plan)
    else:
        assert "session.list_tools" not in shop.rule(plan).targets


def test_a_list_of_tools_knows_neither_latency_nor_limits(shop):
    wrong = shop.wrong_with("session.list_tools: { latency_ms: 5, rate_limit: { calls: 1, per_seconds: 1 } }")
    assert "latency_ms is about calls of operations, and session.list_tools is none" in wrong
    assert "rate_limit is about calls of operations" in wrong
