"""The kind `latency` of models."""

from __future__ import annotations

from squall.faults.at_model import Slow
from squall.faults.kinds.model.latency import KIND


def test_the_answer_begins_five_seconds_late(trial):
    assert trial.at_model(KIND) == Slow(5.0, stated=False)
    assert trial.at_model(KIND, seconds="2m") == Slow(120.0, stated=True)


def test_other_faults_may_happen_to_the_same_reply():
    assert KIND.slot == "wait"


def test_its_example_parses(trial):
    assert trial.example(KIND)
