"""The kind `is_error`."""

from __future__ import annotations

from squall.faults.kinds.is_error import KIND


def test_the_tool_says_that_it_failed_without_any_status(trial):
    reply = trial.act(KIND).reply
    assert (reply.form, reply.status, reply.error) == ("refused", None, "The operation failed.")


def test_it_does_so_in_the_words_of_the_rule(trial):
    assert trial.act(KIND, message="Not today").reply.error == "Not today"


def test_a_message_must_be_text(shop):
    wrong = shop.wrong_with("orders.create_return: [{ kind: is_error, nth: 1, message: 5 }]")
    assert wrong == "plan.yaml:1:59: 'message' must be text, not 5\n    Put it in quotes."


def test_nothing_has_happened_unless_the_rule_says_otherwise(trial):
    assert KIND.phase == "before"
    assert trial.example(KIND).phase == "before"


def test_its_example_parses(trial):
    assert trial.example(KIND).params == {"message": "Try again later."}
