"""The kind `wrong_dimension` of embeddings."""

from __future__ import annotations

from squall.faults.kinds.embeddings.wrong_dimension import KIND


def test_each_vector_is_one_number_short(trial):
    assert trial.vectors(KIND, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]) == [[1.0, 2.0], [4.0, 5.0]]


def test_of_one_number_there_are_two(trial):
    assert trial.vectors(KIND, [[1.0]]) == [[1.0, 0.0]]


def test_no_vectors_have_no_length(trial):
    assert trial.vectors(KIND, []) is None


def test_its_example_parses(trial):
    assert trial.example(KIND)
