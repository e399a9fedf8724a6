"""The kind `latency`."""

from __future__ import annotations

from squall.faults.kinds.latency import KIND


def test_the_operations_own_answer_comes_five_seconds_late(trial):
    action = trial.act(KIND)
    assert action.wait == 5.0
    assert action.reply is None
    assert action.change is None


def test_only_a_wait_that_was_stated_is_kept_on_wall_time(trial):
    assert not trial.act(KIND).stated
    action = trial.act(KIND, seconds="2m")
    assert (action.wait, action.stated) == (120.0, True)


def test_the_effect_has_happened_unless_the_rule_says_otherwise(trial):
    assert KIND.phase == "after"
    assert trial.example(KIND).phase == "after"


def test_its_example_parses(trial):
    assert trial.example(KIND).params == {"seconds": 90.0}
