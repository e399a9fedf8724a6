"""The kind `server_exit`."""

from __future__ import annotations

from squall.faults.kinds.server_exit import KIND


def test_the_server_is_gone_and_so_is_the_connection(trial):
    reply = trial.act(KIND).reply
    assert (reply.form, reply.error) == ("exited", "Connection closed")


def test_the_effect_has_happened_unless_the_rule_says_otherwise(trial):
    assert KIND.phase == trial.example(KIND).phase == "after"


def test_no_session_is_forgotten_by_a_server_that_lives():
    assert not KIND.forgets
