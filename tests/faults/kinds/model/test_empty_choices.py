"""The kind `empty_choices` of models."""

from __future__ import annotations

from squall.call import STREAMING
from squall.faults.at_model import Garble
from squall.faults.kinds.model.empty_choices import KIND


def test_nobody_chose_anything(trial):
    assert trial.at_model(KIND) == Garble("empty")


def test_embeddings_hold_no_choices():
    assert KIND.targets == STREAMING


def test_its_example_parses(trial):
    assert trial.example(KIND)
