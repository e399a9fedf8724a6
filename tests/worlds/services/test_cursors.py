from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.worlds.services.cursors import seal, unseal

JSON = st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5)


@given(JSON)
def test_a_cursor_holds_what_was_put_in_and_is_always_the_same(value):
    assert unseal(seal(value)) == value
    assert seal(value) == seal(value)


def test_a_cursor_shows_nothing_of_what_it_holds():
    near, far = seal(["placed", 19]), seal(["placed", 20])
    assert near.isascii()
    assert near.replace("-", "").replace("_", "").isalnum()
    assert sum(left != right for left, right in zip(near, far, strict=True)) > len(near) // 2


@pytest.mark.parametrize("text", ["", "x", "abcd", "?!", "ä", "AAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAA"])
def test_what_is_no_cursor_is_refused(text):
    with pytest.raises(ValueError, match="not a cursor"):
        unseal(text)


@given(st.integers(0, 30), st.sampled_from("Aa0_-"))
def test_a_cursor_that_was_changed_is_refused(place, letter):
    text = seal(["a value", 5])
    place %= len(text) - 1  # of the last character some bits are padding
    changed = text[:place] + letter + text[place + 1 :]
    if changed != text:
        with pytest.raises(ValueError, match="not a cursor"):
            unseal(changed)
