"""The kind `stale_read`."""

from __future__ import annotations

from squall.faults.kinds.stale_read import KIND


def test_the_answer_does_not_know_of_the_latest_write(trial):
    action = trial.act(KIND)
    assert action.behind == 1
    assert action.reply is None


def test_the_rule_says_of_how_many_writes(trial):
    assert trial.act(KIND, writes=3).behind == 3


def test_it_cannot_know_less_than_all_but_one(shop):
    wrong = shop.wrong_with("orders.get_order: { errors: { stale_read: { probability: 0.1, writes: 0 } } }")
    assert wrong == "plan.yaml:1:71: 'writes' must be greater than or equal to 1, not 0\n    Write 1 or more."


def test_on_a_write_it_could_never_fire(shop):
    wrong = shop.wrong_with("- { target: payments.issue_refund, kind: stale_read, nth: 1 }")
    assert wrong == (
        "plan.yaml:1:42: stale_read could never fire: payments.issue_refund is a write, and it takes a read"
    )


def test_under_default_it_applies_to_reads(shop):
    rule = shop.rule("default: { errors: { stale_read: 0.1 } }")
    assert rule.targets == ("payments.list_refunds", "orders.get_order", "orders.list_orders")


def test_the_read_itself_has_run(trial):
    assert KIND.phase == "after"
    assert trial.example(KIND).phase == "after"


def test_its_example_parses(trial):
    assert trial.example(KIND).probability == 0.2
