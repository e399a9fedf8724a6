"""The kind `connection_error` of models."""

from __future__ import annotations

from squall.faults.at_model import Drop
from squall.faults.kinds.model.connection_error import KIND


def test_the_connection_ends_before_the_first_byte(trial):
    assert trial.at_model(KIND) == Drop("fin")


def test_its_example_parses(trial):
    assert trial.example(KIND)
