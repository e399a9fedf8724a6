"""The kind `malformed_json` of models."""

from __future__ import annotations

from squall.faults.at_model import Garble
from squall.faults.kinds.model.malformed_json import KIND


def test_the_text_is_cut_inside(trial):
    assert trial.at_model(KIND) == Garble("malformed_json")


def test_its_example_parses(trial):
    assert trial.example(KIND)
