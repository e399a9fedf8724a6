"""The kind `wrong_count` of embeddings."""

from __future__ import annotations

from squall.faults.kinds.embeddings.wrong_count import KIND


def test_the_last_vectors_are_missing(trial):
    assert trial.vectors(KIND, [[1.0], [2.0], [3.0]]) == [[1.0], [2.0]]
    assert trial.vectors(KIND, [[1.0], [2.0], [3.0]], missing=2) == [[1.0]]


def test_of_one_input_there_is_none(trial):
    assert trial.vectors(KIND, [[1.0]]) == []
    assert trial.vectors(KIND, [[1.0]], missing=5) == []


def test_of_nothing_nothing_can_be_missing(trial):
    assert trial.vectors(KIND, []) is None


def test_its_example_parses(trial):
    assert trial.example(KIND)
