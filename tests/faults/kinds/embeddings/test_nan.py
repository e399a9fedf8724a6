"""The kind `nan` of embeddings."""

from __future__ import annotations

import math

import pytest

from squall.faults.kinds.embeddings.nan import KIND


def test_one_number_of_one_vector_is_none(trial):
    vectors = [[1.0, 2.0], [3.0, 4.0]]
    (one, other) = trial.vectors(KIND, vectors, draw=0.6)
    assert one == [1.0, 2.0]
    assert (other[0], math.isnan(other[1])) == (3.0, True)
    assert vectors == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("vectors", [[], [[]]])
def test_where_there_are_no_numbers_it_does_not_fire(trial, vectors):
    assert trial.vectors(KIND, vectors) is None


def test_its_example_parses(trial):
    assert trial.example(KIND)
