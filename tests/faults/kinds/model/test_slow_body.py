"""The kind `slow_body` of models."""

from __future__ import annotations

from squall.faults.at_model import Pace
from squall.faults.kinds.model.slow_body import KIND


def test_the_body_comes_in_pieces_with_a_wait_before_each(trial):
    assert trial.at_model(KIND) == Pace(10.0, 10, stated=False)
    assert trial.at_model(KIND, pieces=3, seconds="1m") == Pace(60.0, 3)


def test_pieces_may_follow_each_other_at_once(trial):
    assert trial.at_model(KIND, pieces=100, seconds=0) == Pace(0.0, 100)


def test_its_example_parses(trial):
    assert trial.example(KIND)
