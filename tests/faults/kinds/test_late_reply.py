"""The kind `late_reply`."""

from __future__ import annotations

from squall.faults.kinds.late_reply import KIND


def test_the_reply_is_the_operations_own_and_waits(trial):
    action = trial.act(KIND)
    assert (action.reply, action.change) == (None, None)
    assert (action.wait, action.afterwards, action.stated) == (60.0, 1.0, False)


def test_lengths_that_are_stated_hold_on_wall_time_too(trial):
    action = trial.act(KIND, answer_after="90s", gone_for="5s")
    assert (action.wait, action.afterwards, action.stated) == (90.0, 5.0, True)


def test_the_effect_has_happened_unless_the_rule_says_otherwise(trial):
    assert KIND.phase == trial.example(KIND).phase == "after"
