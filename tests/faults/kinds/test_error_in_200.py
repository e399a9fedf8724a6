"""The kind `error_in_200`."""

from __future__ import annotations

from squall.faults.kinds.error_in_200 import KIND


def test_what_looks_like_a_success_says_inside_that_it_is_none(trial):
    reply = trial.act(KIND).reply
    assert reply.ok
    assert reply.value == {"ok": False, "error": "Internal error"}


def test_it_does_so_in_the_words_of_the_rule(trial):
    assert trial.act(KIND, message="Quota").reply.value == {"ok": False, "error": "Quota"}


def test_nothing_has_happened_unless_the_rule_says_otherwise(trial):
    assert KIND.phase == "before"
    assert trial.example(KIND).phase == "before"


def test_its_example_parses(trial):
    assert trial.example(KIND).probability == 0.05
