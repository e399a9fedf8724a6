from __future__ import annotations

import pytest

from squall.reports.in_markdown import escaped, table


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("a | b", r"a \| b"),
        ("<script>&", "&lt;script&gt;&amp;"),
        ("[a](http://b)", r"\[a\](http\://b)"),
        ("`a` *b* _c_ ~d~ #1 !x", r"\`a\` \*b\* \_c\_ \~d\~ \#1 \!x"),
        ("a\nb\r\n\x1b[31mc\u202ed", r"a b \[31mc d"),
        ("$x$ @me", r"\$x\$ \@me"),
        ("\\|", r"\\\|"),
        ("\ud800", " ".strip()),
    ],
)
def test_words_stay_words(words, shown):
    assert escaped(words) == shown


def test_a_long_text_is_cut():
    assert len(escaped("x" * 10_000)) < 600


def test_a_table_has_its_head_and_a_line_below():
    assert list(table(("a", "b"), [("1", "2")])) == ["| a | b |", "| --- | --- |", "| 1 | 2 |"]
