from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from squall.canonical import integer
from squall.worlds.seeds.keyed import Cells, Keys

PART = st.one_of(st.text(max_size=5), st.integers())


@given(
    st.integers(),
    st.text(max_size=5),
    st.lists(st.text(max_size=5), max_size=4),
    st.lists(PART, max_size=3),
    st.lists(PART, max_size=2),
)
def test_many_numbers_at_once_are_those_of_canonical(seed, owner, rows, path, more):
    numbers = Cells(seed, owner, tuple(path)).numbers(Keys(rows), *more)
    assert list(numbers) == [integer(seed, owner, row, *path, *more) for row in rows]


def test_some_keys_of_many():
    some = Keys(["a", "b", "c"]).only([True, 0, 5])
    assert some.texts == ["a", "c"]
    assert some.parts == Keys(["a", "c"]).parts
    assert Keys(["a"]).only([False]).parts == []
