"""A plan as a value, `faults/plan.py`."""

from __future__ import annotations

import msgspec
import pytest

from squall.faults import CALM, Plan


def test_under_a_calm_plan_nothing_is_there_to_happen():
    assert Plan() == CALM
    assert not CALM.drawn
    assert (CALM.rules.faults, CALM.rules.latencies, CALM.rules.limits) == ((), (), ())
    assert (CALM.limits.seconds, CALM.limits.calls, CALM.wall_cap) == (3600.0, 1000, 2.0)


def test_a_plan_is_drawn_when_one_of_its_rules_is(shop):
    assert shop.read("orders.get_order: { errors: { timeout: 0.1 } }").drawn
    assert not shop.read("orders.get_order: [{ kind: timeout, nth: 1 }]").drawn
    assert not shop.read("orders.get_order: { latency_ms: [1, 2] }").drawn


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ("{ target: payments.issue_refund, kind: timeout, nth: 1 }", "timeout at payments.issue_refund (nth 1)"),
        ("{ target: orders.get_order, kind: hang, nth: 2, times: 3 }", "hang at orders.get_order (nth 2, times 3)"),
        (
            "{ target: orders.*, kind: hang, probability: 0.25 }",
            "hang at orders.get_order, orders.list_orders … (probability 0.25)",
        ),
        ("{ target: orders.get_order, kind: hang }", "hang at orders.get_order"),
    ],
)
def test_a_rule_is_told_in_one_sentence_with_its_place(shop, rule, sentence):
    assert shop.read(f"- {rule}").sentence(0) == f"{sentence}, plan.yaml:1:3"


def test_a_rule_without_a_place_is_told_without_one(shop):
    plan = shop.read("orders.get_order: { errors: { timeout: 0.1 } }")
    assert msgspec.structs.replace(plan, where={}).sentence(0) == "timeout at orders.get_order (probability 0.1)"


def test_a_short_rule_stands_where_its_kind_is_named(shop):
    assert shop.read("orders.get_order: { errors: { timeout: 0.1 } }").where == {0: "plan.yaml:1:31"}


def test_each_rule_has_its_kind_and_parameters_by_its_id(shop):
    plan = shop.read("orders.get_order: { errors: { http_500: 0.1, timeout: { probability: 0.1, answer_after: 9 } } }")
    assert [plan.bound[rule.id].kind.name for rule in plan.rules.faults] == ["http_500", "timeout"]
    assert plan.bound[1].params.answer_after == 9


def test_the_trace_gets_plain_data_and_only_what_is_set(shop):
    plan = shop.read("- { target: orders.get_order, kind: hang, nth: 1, when: { order_id: [a, b], newer_than: 1m } }")
    assert plan.described == (
        {
            "id": 0,
            "kind": "hang",
            "targets": ["orders.get_order"],
            "phase": "after",
            "nth": 1,
            "when": {"args": {"order_id": ["a", "b"]}, "newer_than": 60},
        },
    )


def test_plans_that_mean_the_same_have_one_digest(shop):
    short = shop.read("payments.issue_refund: { errors: { timeout: 0.1 } }")
    long = shop.read("- { target: payments.issue_refund, kind: timeout, probability: 0.1 }")
    other = shop.read("payments.issue_refund: { errors: { timeout: 0.2 } }")
    assert short.digest == long.digest
    assert short.digest != other.digest
    assert CALM.digest is None
