from __future__ import annotations

import pytest

from squall.reports.lines import WIDTH, ends, fit, labelled, parted, wrapped


def test_what_is_long_is_wrapped_and_set_in():
    lines = wrapped("word " * 40, 2).splitlines()
    assert max(map(len, lines)) <= WIDTH
    assert [line[:5] for line in lines] == ["  wor", "    w", "    w"]


def test_a_label_stands_once_and_its_text_beside_it():
    lines = labelled("note", "word " * 30, indent=2, wide=8).splitlines()
    assert lines[0].startswith("  note    word")
    assert {line[:11] for line in lines[1:]} == {"          w"}


def test_paths_are_not_broken():
    path = "runs/a-scenario-of-many-words/" * 4
    assert path in wrapped(f"it lies in {path}")


def test_an_empty_text_is_its_label():
    assert labelled("note", "", indent=2, wide=8) == "  note"


def test_nothing_moves_the_cursor():
    assert "\x1b" not in wrapped("\x1b[2J") + labelled("", "\x1b[2J", indent=0, wide=0) + fit("\x1b[2J", 20)


def test_names_keep_both_ends():
    assert ends("resilient", 9) == "resilient"
    assert [ends(f"my-long-strategy-{n}", 9) for n in (1, 2)] == ["my-l…gy-1", "my-l…gy-2"]


def test_words_are_cut_to_fit():
    assert fit("resilient", 9) == "resilient"
    assert fit("resilient", 5) == "resi…"
    assert fit("ask a question", 5) == "ask…"


@pytest.mark.parametrize(
    ("words", "head", "rest"),
    [
        ("short enough", "short enough", ""),
        ("one two (three four) five", "one two", "(three four) five"),
        ("one two three (four) five", "one two", "three (four) five"),
        ("one two three four five", "one two three", "four five"),
        ("(one two three four) five", "(one two three", "four) five"),
        ("a [b c d e f g h] i", "a [b c d e f g", "h] i"),
        ("onetwothreefourfive", "onetwothreefou", "rfive"),
        ("one) two three four", "one) two three", "four"),
    ],
)
def test_a_text_is_parted_between_its_words_and_outside_of_brackets_where_that_leaves_enough(words, head, rest):
    assert parted(words, 14) == (head, rest)
