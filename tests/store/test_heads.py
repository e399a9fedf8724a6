"""Heads and seals that were kept elsewhere: how they are given."""

from __future__ import annotations

import pytest

from squall.errors import UsageError
from squall.store.heads import read_heads

A, B, C = "a" * 64, "b" * 64, "0123456789abcdef" * 4


def test_a_head_is_given_as_it_is():
    assert read_heads([A, f" {B.upper()} "]) == {A: "--head", B: "--head"}


def test_a_file_holds_a_head_in_a_line_or_what_verify_printed(tmp_path):
    file = tmp_path / "heads.txt"
    file.write_text(
        f"{A}\n\nruns/x-{C}: the run is whole: 3 events, head {B}, seal {C}\n# note {A}\n", encoding="utf-8"
    )
    assert read_heads([str(file)]) == {A: f"{file}:1", B: f"{file}:3", C: f"{file}:3"}


def test_the_first_place_is_named_where_one_is_given_twice(tmp_path):
    file = tmp_path / "heads.txt"
    file.write_text(f"{A}\n{A}\n", encoding="utf-8")
    assert read_heads([str(file), A]) == {A: f"{file}:1"}
    assert read_heads([A, str(file)]) == {A: "--head"}


@pytest.mark.parametrize("text", [A[:-1], "nowhere.txt", "", "x" * 5000, "a\0b"])
def test_what_is_neither_a_head_nor_a_file_says_so(text):
    with pytest.raises(UsageError, match="is no head, and no file to read: "):
        read_heads([text])


def test_a_file_that_is_no_text_says_so(tmp_path):
    (tmp_path / "x").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(UsageError, match="no file to read: it is no text"):
        read_heads([str(tmp_path / "x")])


def test_a_file_without_heads_says_so(tmp_path):
    (tmp_path / "x").write_text("hello\n", encoding="utf-8")
    with pytest.raises(UsageError, match="there is no head and no seal in this file"):
        read_heads([str(tmp_path / "x")])
