"""The kind `timeout`."""

from __future__ import annotations

from squall.faults.kinds.timeout import KIND


def test_it_answers_with_an_error_after_a_minute_to_whoever_still_waits(trial):
    action = trial.act(KIND)
    assert (action.reply.form, action.reply.status, action.reply.error) == ("timeout", 504, "The request timed out.")
    assert (action.wait, action.forever) == (60.0, False)


def test_only_a_wait_that_was_stated_is_kept_on_wall_time(trial):
    assert not trial.act(KIND).stated
    action = trial.act(KIND, answer_after="90s")
    assert (action.wait, action.stated) == (90.0, True)


def test_the_effect_has_happened_unless_the_rule_says_otherwise(shop):
    assert KIND.phase == "after"
    assert shop.rule("payments.issue_refund: [{ kind: timeout, nth: 1 }]").phase == "after"
    assert shop.rule("payments.issue_refund: [{ kind: timeout, nth: 1, phase: before }]").phase == "before"


def test_a_negative_wait_is_refused(shop):
    wrong = shop.wrong_with("payments.issue_refund: [{ kind: timeout, nth: 1, answer_after: -1 }]")
    assert wrong == "plan.yaml:1:64: a length of time cannot be below zero, and -1 is"


def test_its_example_parses(trial):
    assert trial.example(KIND).probability == 0.1
