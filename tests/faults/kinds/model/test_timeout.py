"""The kind `timeout` of models."""

from __future__ import annotations

from squall.faults.at_model import Silence
from squall.faults.kinds.model.timeout import KIND


def test_nothing_comes_for_longer_than_the_sdks_wait(trial):
    assert trial.at_model(KIND) == Silence(900.0, stated=False)


def test_a_length_that_was_stated_is_kept_on_wall_time(trial):
    assert trial.at_model(KIND, seconds="2m") == Silence(120.0, stated=True)
    assert trial.at_model(KIND, forever=True).forever


def test_its_example_parses(trial):
    assert trial.example(KIND)
