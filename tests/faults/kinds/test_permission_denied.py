"""The kind `permission_denied`."""

from __future__ import annotations

from squall.faults.kinds.permission_denied import KIND


def test_the_service_refuses_for_want_of_permission(trial):
    reply = trial.act(KIND).reply
    assert (reply.form, reply.status, reply.error) == ("refused", 403, "403 Forbidden")


def test_it_does_so_in_the_words_of_the_rule(trial):
    assert trial.act(KIND, message="Ask your manager").reply.error == "Ask your manager"


def test_nothing_has_happened_unless_the_rule_says_otherwise(trial):
    assert KIND.phase == "before"
    assert trial.example(KIND).phase == "before"


def test_its_example_parses(trial):
    assert trial.example(KIND).probability == 0.02
