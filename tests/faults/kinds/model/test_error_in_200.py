"""The kind `error_in_200` of models."""

from __future__ import annotations

from squall.faults.at_model import Garble
from squall.faults.kinds.model.error_in_200 import KIND


def test_the_body_is_that_of_an_error(trial):
    assert trial.at_model(KIND) == Garble("error", 503)
    assert trial.at_model(KIND, status=429) == Garble("error", 429)


def test_its_status_is_that_of_an_error(shop):
    wrong = shop.wrong_with("model.chat: [{ kind: error_in_200, nth: 1, status: 200 }]")
    assert wrong.startswith("plan.yaml:1:52: 'status' must be greater than or equal to 400, not 200")


def test_its_example_parses(trial):
    assert trial.example(KIND)
