"""The kind `hang`."""

from __future__ import annotations

from squall.faults.kinds.hang import KIND


def test_there_is_no_answer_before_the_runs_limit(trial):
    action = trial.act(KIND)
    assert action.forever
    assert not action.stated


def test_where_a_wait_is_capped_a_timeout_follows_it(trial):
    assert trial.act(KIND).reply.form == "timeout"


def test_the_effect_has_happened_unless_the_rule_says_otherwise(trial):
    assert KIND.phase == "after"
    assert trial.example(KIND).phase == "after"


def test_its_example_parses(trial):
    assert trial.example(KIND).nth == 1
