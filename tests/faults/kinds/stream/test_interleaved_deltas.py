"""The kind `interleaved_deltas` of streams."""

from __future__ import annotations

from squall.faults.at_model import Interleave
from squall.faults.kinds.stream.interleaved_deltas import KIND


def test_the_deltas_take_turns(trial):
    assert trial.at_model(KIND) == Interleave()


def test_its_example_parses(trial):
    assert trial.example(KIND)
