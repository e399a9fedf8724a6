"""The kind `slow_chunks` of streams."""

from __future__ import annotations

from squall.faults.at_model import Pace
from squall.faults.kinds.stream.slow_chunks import KIND


def test_there_is_a_wait_before_each_chunk(trial):
    assert trial.at_model(KIND) == Pace(2.0, stated=False)
    assert trial.at_model(KIND, seconds="1m") == Pace(60.0)


def test_its_example_parses(trial):
    assert trial.example(KIND)
