"""The kind `malformed_event` of streams."""

from __future__ import annotations

from squall.faults.at_model import AtChunk
from squall.faults.kinds.stream.malformed_event import KIND


def test_the_next_event_is_cut(trial):
    assert trial.at_model(KIND) == AtChunk("malformed_event", 2)
    assert trial.at_model(KIND, after=5) == AtChunk("malformed_event", 5)


def test_its_example_parses(trial):
    assert trial.example(KIND)
