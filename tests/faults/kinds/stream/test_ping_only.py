"""The kind `ping_only` of streams."""

from __future__ import annotations

from squall.faults.at_model import AtChunk
from squall.faults.kinds.stream.ping_only import KIND


def test_signs_of_life_come_without_end(trial):
    assert trial.at_model(KIND) == AtChunk("ping_only", 2, seconds=30.0, stated=False, forever=True)


def test_after_so_many_the_connection_is_closed(trial):
    assert trial.at_model(KIND, signs=4, beat="10s") == AtChunk("ping_only", 2, seconds=10.0, times=4)


def test_its_example_parses(trial):
    assert trial.example(KIND)
