"""The kind `duplicate_delivery`."""

from __future__ import annotations

from squall.faults.kinds.duplicate_delivery import KIND


def test_the_request_arrives_twice_and_is_answered_as_ever(trial):
    action = trial.act(KIND, target="payments.issue_refund")
    assert action.deliveries == 2
    assert action.reply is None
    assert action.change is None


def test_on_a_read_it_could_never_fire(shop):
    wrong = shop.wrong_with("- { target: orders.get_order, kind: duplicate_delivery, nth: 1 }")
    assert wrong == (
        "plan.yaml:1:37: duplicate_delivery could never fire: orders.get_order is a read, and it takes a write"
    )


def test_under_default_it_applies_to_writes(shop):
    rule = shop.rule("default: { errors: { duplicate_delivery: 0.1 } }")
    assert rule.targets == ("payments.issue_refund", "orders.create_return")


def test_the_caller_hears_of_the_first_run_unless_the_rule_says_otherwise(trial):
    assert KIND.phase == "after"
    assert trial.example(KIND).phase == "after"


def test_its_example_parses(trial):
    assert trial.example(KIND).nth == 1
