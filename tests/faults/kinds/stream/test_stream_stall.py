"""The kind `stream_stall` of streams."""

from __future__ import annotations

from squall.faults.at_model import AtChunk
from squall.faults.kinds.stream.stream_stall import KIND


def test_nothing_comes_for_a_minute(trial):
    assert trial.at_model(KIND) == AtChunk("stall", 2, seconds=60.0, stated=False)


def test_how_long_and_where_can_be_stated(trial):
    assert trial.at_model(KIND, after=1, seconds="2m") == AtChunk("stall", 1, seconds=120.0)


def test_its_example_parses(trial):
    assert trial.example(KIND)
