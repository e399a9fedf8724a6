from __future__ import annotations

import pytest

from squall.checks.options import DEFAULT, thresholds
from squall.errors import UsageError


def test_thresholds_are_taken_by_name():
    found = thresholds({"loop_min_steps": 8, "terminal_tools": ["done"]})
    assert (found.loop_min_steps, found.terminal_tools, found.repeat_threshold) == (8, ("done",), 3)
    assert thresholds({}) == DEFAULT


def test_all_that_is_wrong_is_told_at_once():
    with pytest.raises(UsageError) as caught:
        thresholds({"loop_min_step": 3, "max_attempts": 0, "repeat_threshold": True, "terminal_tools": "done"})
    texts = [str(problem) for problem in caught.value.problems]
    assert "there is no option 'loop_min_step' of checks; did you mean 'loop_min_steps'?" in texts[0]
    assert texts[1:] == [
        "max_attempts is a whole number from 1 on, not 0",
        "repeat_threshold is a whole number from 2 on, not True",
        "terminal_tools is a list of names of tools, not 'done'",
    ]
