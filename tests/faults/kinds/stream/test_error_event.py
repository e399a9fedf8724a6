"""The kind `error_event` of streams."""

from __future__ import annotations

from squall.faults.at_model import AtChunk
from squall.faults.kinds.stream.error_event import KIND


def test_an_event_tells_of_an_error(trial):
    assert trial.at_model(KIND) == AtChunk("error_event", 2, status=503)
    assert trial.at_model(KIND, after=1, status=529) == AtChunk("error_event", 1, status=529)


def test_its_example_parses(trial):
    assert trial.example(KIND)
