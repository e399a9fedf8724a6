"""Objects whose JSON is cut: what had come is kept, as the parser keeps it that the SDK streams with."""

from __future__ import annotations

import json

import jiter
import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.wire.anthropic import partial

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.floats(-9, 9) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=3), st.data())
def test_an_object_cut_anywhere_keeps_what_the_sdks_parser_keeps(value, data):
    text = json.dumps(value, ensure_ascii=data.draw(st.booleans()))
    end = data.draw(st.integers(1, len(text)))
    assert partial.read(text[:end]) == jiter.from_json(text[:end].encode(), partial_mode=True)


@pytest.mark.parametrize(
    "text", ["", "nope", "[1, 2]", '"text"', "{a: 1}", '{"a":}', "[" * 5000, '{"a":' * 5000, "\ud800"]
)
def test_what_is_no_object_is_an_empty_one(text):
    found = partial.read(text)
    assert isinstance(found, dict)
    assert found == {} or text.startswith('{"a":{')


def test_brackets_within_texts_do_not_count():
    assert partial.read('{"a": "}{,", "b": ["x]", "y') == {"a": "}{,", "b": ["x]"]}
