"""The kind `connection_lost`."""

from __future__ import annotations

from squall.faults.kinds.connection_lost import KIND


def test_the_caller_hears_at_once_that_the_connection_is_closed(trial):
    action = trial.act(KIND)
    assert (action.reply.form, action.reply.error) == ("lost", "Connection closed")
    assert (action.wait, action.remove) == (0.0, False)


def test_the_effect_has_happened_unless_the_rule_says_otherwise(trial):
    assert KIND.phase == "after"
    assert trial.example(KIND).phase == "after"


def test_it_takes_no_parameters_of_its_own(shop):
    assert KIND.parameters == ("late_by",)
    wrong = shop.wrong_with("payments.issue_refund: [{ kind: connection_lost, nth: 1, message: gone }]")
    assert wrong.startswith("plan.yaml:1:58: unknown parameter 'message' of connection_lost")


def test_its_example_parses(trial):
    assert trial.example(KIND).probability == 0.05
