"""The kind `short_body` of models."""

from __future__ import annotations

from squall.faults.at_model import Shorten
from squall.faults.kinds.model.short_body import KIND


def test_half_of_the_body_comes_unless_a_share_is_stated(trial):
    assert trial.at_model(KIND) == Shorten(0.5)
    assert trial.at_model(KIND, share=0) == Shorten(0.0)


def test_a_whole_body_is_not_short(shop):
    wrong = shop.wrong_with("model.chat: [{ kind: short_body, nth: 1, share: 1 }]")
    assert wrong == "plan.yaml:1:49: 'share' must be less than 1, not 1\n    Write less than 1."


def test_its_example_parses(trial):
    assert trial.example(KIND)
