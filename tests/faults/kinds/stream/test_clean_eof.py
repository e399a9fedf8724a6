"""The kind `clean_eof` of streams."""

from __future__ import annotations

from squall.faults.at_model import AtChunk
from squall.faults.kinds.stream.clean_eof import KIND


def test_only_the_terminal_events_are_missing_unless_a_place_is_stated(trial):
    assert trial.at_model(KIND) == AtChunk("clean_eof")
    assert trial.at_model(KIND, after=3) == AtChunk("clean_eof", 3)


def test_its_example_parses(trial):
    assert trial.example(KIND)
