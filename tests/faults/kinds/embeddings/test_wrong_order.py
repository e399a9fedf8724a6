"""The kind `wrong_order` of embeddings."""

from __future__ import annotations

import pytest

from squall.faults.kinds.embeddings.wrong_order import KIND


def test_the_last_comes_first(trial):
    assert trial.vectors(KIND, [[1.0], [2.0], [3.0]]) == [[3.0], [2.0], [1.0]]
    assert trial.at_model(KIND).reordered


@pytest.mark.parametrize("vectors", [[], [[1.0]], [[1.0], [1.0]]])
def test_where_the_order_says_nothing_it_does_not_fire(trial, vectors):
    assert trial.vectors(KIND, vectors) is None


def test_its_example_parses(trial):
    assert trial.example(KIND)
