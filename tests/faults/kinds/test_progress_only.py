"""The kind `progress_only`."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from squall.faults.kinds.progress_only import KIND


def test_signs_of_life_come_until_an_error_does(trial):
    action = trial.act(KIND)
    assert (action.beat, action.wait, action.stated) == (5.0, 600.0, False)
    assert action.reply.form == "timeout"


def test_how_often_and_how_long_can_be_said(trial):
    action = trial.act(KIND, beat="500ms", answer_after="1m")
    assert (action.beat, action.wait, action.stated) == (0.5, 60.0, True)


def test_a_sign_of_life_takes_time(trial):
    with pytest.raises(ValidationError):
        trial.act(KIND, beat=0)


def test_the_effect_has_happened_unless_the_rule_says_otherwise(trial):
    assert KIND.phase == trial.example(KIND).phase == "after"
