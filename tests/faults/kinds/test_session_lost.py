"""The kind `session_lost`."""

from __future__ import annotations

from squall.faults.kinds.session_lost import KIND


def test_the_reply_is_about_the_session_and_not_about_the_call(trial):
    reply = trial.act(KIND).reply
    assert (reply.form, reply.status, reply.error) == ("session_lost", 404, "Session not found")


def test_nothing_has_happened_unless_the_rule_says_otherwise(trial):
    assert KIND.phase == trial.example(KIND).phase == "before"


def test_it_says_that_the_session_is_forgotten():
    assert KIND.forgets
