"""Token-hash embeddings: of length 1, the same for the same text, and similar as far as words are shared."""

from __future__ import annotations

import math
import subprocess
import sys
import tracemalloc

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.call import ModelRequest
from squall.models.embeddings import DIMENSION, vector, vectors


def similarity(one, other):
    return sum(a * b for a, b in zip(vector(one), vector(other), strict=True))


@given(st.text() | st.lists(st.integers(0, 100_000)).map(tuple), st.integers(1, 300))
def test_every_vector_has_the_dimension_asked_for_and_the_length_one(one, dimension):
    found = vector(one, dimension)
    assert len(found) == dimension
    assert math.isclose(math.hypot(*found), 1)
    assert found == vector(one, dimension)


def test_similarity_follows_shared_words():
    base = "the refund for order seven was sent"
    same, half, none = (
        "The refund for order seven was sent!",
        "the refund for order nine is late",
        "green apples taste sour",
    )
    assert similarity(base, base) == pytest.approx(1)
    assert similarity(base, same) > 0.9
    assert similarity(base, same) > similarity(base, half) > similarity(base, none) + 0.2
    assert abs(similarity(base, none)) < 0.2


def test_each_input_has_its_vector_in_order_and_1536_dimensions_are_the_default():
    request = ModelRequest("embeddings", "m", inputs=("one", (1, 2), "one"))
    first, second, third = vectors(request)
    assert len(first) == len(second) == DIMENSION == 1536
    assert first == third != second


def test_a_marker_in_the_text_changes_its_vector():
    assert vector("SQUALL_SCOPE=a text") != vector("SQUALL_SCOPE=b text")


def test_texts_without_words_have_vectors_too():
    assert vector(" ") != vector("\n")


def test_vectors_are_the_same_in_every_process():
    code = "from squall.models.embeddings import vector; print(vector('good morning', 64))"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert told.stdout.strip() == str(vector("good morning", 64))


def test_long_words_are_not_kept():
    tracemalloc.start()
    try:
        for number in range(20):
            vector(f"{number}" + "x" * 1_000_000, 8)
        assert tracemalloc.get_traced_memory()[0] < 2_000_000
    finally:
        tracemalloc.stop()
