"""Whether a rule holds and could ever fire, `faults/fit.py`."""

from __future__ import annotations

import pytest

from squall.call import Target
from squall.decide import When
from squall.errors import UsageError
from squall.faults import Inline, parse_plan

ALL_KINDS = (
    "timeout, connection_lost, hang, http_STATUS, not_found, permission_denied, is_error, error_in_200, "
    "empty_result, malformed_json, truncated_result, wrong_value, missing_field, stale_read, duplicate_delivery, "
    "latency, tool_removed, session_lost, server_exit, late_reply, progress_only, paged_tools"
)


def test_an_unknown_kind_is_told_with_the_nearest_and_all(shop):
    assert shop.wrong_with("orders.get_order: { errors: { tiemout: 0.1 } }") == (
        f"plan.yaml:1:31: unknown kind of fault 'tiemout'; did you mean 'timeout'?\n    Kinds: {ALL_KINDS}."
    )


def test_in_a_long_rule_a_limit_can_be_meant(shop):
    assert shop.wrong_with("- { target: orders.get_order, kind: latncy_ms, ms: 5 }") == (
        "plan.yaml:1:37: unknown kind of fault 'latncy_ms'; did you mean 'latency_ms'?\n"
        f"    Kinds: {ALL_KINDS}, latency_ms, rate_limit."
    )


def test_an_unknown_parameter_is_told_with_the_nearest_and_all(shop):
    plan = "orders.get_order: { errors: { timeout: { probability: 0.1, answer_afte: 5s } } }"
    assert shop.wrong_with(plan) == (
        "plan.yaml:1:60: unknown parameter 'answer_afte' of timeout; did you mean 'answer_after'?\n"
        "    timeout takes answer_after, late_by; every rule probability, phase, scope, when."
    )


def test_a_misspelt_key_of_the_rule_itself_is_known_too(shop):
    assert shop.wrong_with("orders.get_order: [{ kind: hang, nht: 1 }]") == (
        "plan.yaml:1:34: unknown parameter 'nht' of hang; did you mean 'nth'?\n"
        "    hang takes late_by; every rule kind, target, probability, nth, times, first, every, when, phase, scope."
    )


def test_a_parameter_of_the_wrong_kind_is_told_with_its_value(shop):
    assert shop.wrong_with("orders.get_order: [{ kind: timeout, answer_after: soon }]") == (
        "plan.yaml:1:51: 'soon' is no length of time: write a length of time such as 500ms, 30s, 5m, 2h or 1d "
        "(a number alone is seconds)"
    )


def test_a_condition_on_an_argument_that_there_is_not_could_never_hold(shop):
    assert shop.wrong_with("orders.get_order: [{ kind: hang, nth: 1, when: { oder_id: ord_1 } }]") == (
        "plan.yaml:1:50: hang could never fire: orders.get_order takes no argument 'oder_id'; it takes order_id; "
        "did you mean 'order_id'?"
    )


def test_a_misspelt_condition_is_not_taken_for_an_argument(shop):
    plan = "orders.get_order: { errors: { hang: { probability: 1, when: { newer_then: 2h } } } }"
    assert shop.wrong_with(plan) == (
        "plan.yaml:1:63: hang could never fire: orders.get_order takes no argument 'newer_then'; "
        "it takes order_id; did you mean 'newer_than'?"
    )


def test_a_condition_on_an_age_needs_a_record(shop):
    assert shop.wrong_with("orders.list_orders: [{ kind: hang, nth: 1, when: { older_than: 2h } }]") == (
        "plan.yaml:1:50: hang could never fire: orders.list_orders addresses no single record with a datetime field, "
        "so there is no age to compare"
    )


def test_of_targets_named_one_by_one_each_must_fit(shop):
    wrong = shop.wrong_with("- { target: [orders.get_order, payments.issue_refund], kind: stale_read }")
    assert "stale_read could never fire: payments.issue_refund is a write" in wrong


@pytest.mark.parametrize("pattern", ["default", "orders.*"])
def test_of_many_targets_those_are_taken_that_fit(shop, pattern):
    rule = shop.rule(f"{pattern}: [{{ kind: hang, nth: 1, when: {{ order_id: ord_1, newer_than: 1d }} }}]")
    assert rule.targets == ("orders.get_order", "orders.create_return")


def test_where_none_of_many_fits_it_is_an_error(shop):
    wrong = shop.wrong_with("payments.*: [{ kind: hang, nth: 1, when: { newer_than: 1d } }]")
    assert "hang could never fire: payments.issue_refund addresses no single record" in wrong


def test_an_argument_may_have_the_name_of_a_condition():
    target = Target("a.b", "b", fields=("newer_than", "args"), dated=True)
    plan = parse_plan(
        Inline([{"target": "a.b", "kind": "hang", "when": {"args": {"newer_than": 5, "args": [1, 2]}}}]), [target]
    )
    assert plan.rules.faults[0].when == When(args={"newer_than": (5,), "args": (1, 2)})


def test_a_fault_of_the_tool_wire_does_not_fit_a_model():
    with pytest.raises(UsageError, match="hang could never fire: it is a fault of the tool wire, and model"):
        parse_plan(Inline([{"target": "model.chat", "kind": "hang"}]), [Target("model.chat", "chat", wire="model")])


def test_an_operation_without_arguments_says_so():
    with pytest.raises(UsageError, match="takes no argument 'x'; it takes none"):
        parse_plan(Inline([{"target": "a.b", "kind": "hang", "when": {"x": 1}}]), [Target("a.b", "b")])
