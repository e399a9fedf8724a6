"""A plan as a value, `faults/plan.py`."""

from __future__ import annotations

import msgspec
import pytest

from squall.faults import CALM, Plan
from squall.faults.plan import Described, plan_of_faults


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


# ------------------------------------------------------------------------------------------------------- parts of plans


BOTH = """
orders.get_order: { errors: { timeout: 0.1 }, latency_ms: 5 }
model.*: { errors: { http_503: 0.1, clean_eof: 0.2 }, latency_ms: [5, 9], rate_limit: { calls: 2, per_seconds: 60 } }
session.list_tools: [{ kind: paged_tools }]
orders.order_delivered: [{ kind: lost, nth: 1 }]
gpt-5-mini: [{ kind: latency, nth: 1 }]
"""


def kinds(rules):
    return [rule.kind for rule in rules.faults]


@pytest.mark.parametrize(
    "text",
    [
        "[{ target: orders.get_order, kind: http_503, nth: 1 }]",
        "[{ target: orders.*, kind: http_429, nth: 1, retry_after: 2.5 }, { target: payments.*, kind: hang, nth: 2 }]",
    ],
)
def test_a_plan_of_rules_that_were_described_before_is_the_same_plan(shop, text):
    plan = shop.read(text)
    rules = plan.rules.faults
    again = plan_of_faults(rules, plan.bound, [Described.of(rule) for rule in rules], limits=plan.limits)
    assert again == msgspec.structs.replace(plan, where={})


def test_each_side_sees_its_own_rules_which_keep_their_ids(shop):
    plan = shop.read(BOTH)
    tool, model = plan.of_wire("tool"), plan.of_wire("model")
    assert kinds(tool.rules) == ["timeout", "paged_tools", "lost"]
    assert kinds(model.rules) == ["http_503", "clean_eof", "latency"]
    assert [rule.id for rule in model.rules.faults] == [1, 2, 5]
    assert model.bound.keys() == {1, 2, 5} == model.where.keys()
    assert [latency.low for latency in tool.rules.latencies] == [5]
    assert [latency.high for latency in model.rules.latencies] == [9]
    assert (tool.rules.limits, len(model.rules.limits)) == ((), 1)
    for rule_id in model.bound:
        assert model.sentence(rule_id) == plan.sentence(rule_id)
    assert [entry["id"] for entry in model.described] == [1, 2, 5]
    assert model.digest not in (tool.digest, plan.digest)


def test_a_plan_for_one_side_is_that_sides_part(shop):
    plan = shop.read("orders.get_order: { errors: { timeout: 0.1 } }")
    assert plan.of_wire("tool") is plan
    assert plan.of_wire("model").rules == CALM.rules
    assert CALM.of_wire("model") is CALM


def test_settings_go_to_both_sides(shop):
    plan = shop.read("faults: { model.chat: { errors: { reset: 0.1 } } }\nlimits: { calls: 5 }\nwall_cap: 1s")
    assert [(part.limits.calls, part.wall_cap) for part in map(plan.of_wire, ("tool", "model"))] == [(5, 1.0)] * 2


def test_a_rule_that_is_of_the_other_side_has_no_sentence(shop):
    with pytest.raises(IndexError):
        shop.read(BOTH).of_wire("model").sentence(0)


def test_a_rule_for_a_model_is_told_with_its_name(shop):
    plan = shop.read("gpt-5-mini: [{ kind: latency, nth: 1 }]")
    assert plan.sentence(0) == "latency at gpt-5-mini (nth 1), plan.yaml:1:14"


def test_slots_hold_the_rules_of_models_alone(shop):
    slots = shop.read(BOTH).slots()
    assert {slot: kinds(rules) for slot, rules in slots.items()} == {
        "wait": ["latency"],
        "answer": ["http_503"],
        "end": ["clean_eof"],
    }
    assert (len(slots["answer"].latencies), len(slots["answer"].limits)) == (1, 1)
    assert slots["end"].latencies == ()
    assert shop.read("orders.get_order: { errors: { timeout: 0.1 }, latency_ms: 5 }").slots() == {}


def test_a_slot_may_hold_a_limit_alone(shop):
    slots = shop.read("model.chat: { rate_limit: { calls: 2, per_seconds: 60 } }").slots()
    assert list(slots) == ["answer"]


def test_an_extended_plan_has_the_others_rules_behind_its_own(shop):
    plan = shop.read("faults: { orders.get_order: { errors: { timeout: 0.1 } } }\nlimits: { calls: 7 }")
    other = shop.inline({"model.chat": {"errors": {"reset": 0.1}, "rules": [{"kind": "clean_eof", "nth": 1}]}})
    both = plan.extended(other)
    assert [(rule.id, rule.kind) for rule in both.rules.faults] == [(0, "timeout"), (1, "reset"), (2, "clean_eof")]
    assert [both.bound[rule.id].kind.name for rule in both.rules.faults] == ["timeout", "reset", "clean_eof"]
    assert both.where == {0: plan.where[0], 1: other.where[0], 2: other.where[1]}
    assert both.limits.calls == 7
    assert [entry["id"] for entry in both.described] == [0, 1, 2]
    assert both.digest not in (plan.digest, other.digest)
    assert both.extended(other).rules.faults[3].id == 3


def test_a_calm_plan_is_extended_by_all_of_another(shop):
    other = shop.read("model.chat: { latency_ms: 5 }")
    assert CALM.extended(other).rules == other.rules
    assert other.extended(CALM).rules == other.rules
