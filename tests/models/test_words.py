"""Texts that are looked for in other texts."""

from __future__ import annotations

import re

import pytest

from squall.errors import UsageError
from squall.models.words import Hay, needle, needles


@pytest.mark.parametrize(
    ("wanted", "text", "found"),
    [
        ("refund", "A REFUND, please", True),
        ("STRASSE", "in der Straße", True),
        ("refund", "re fund", False),
        ("a.c", "abc", False),
        (re.compile("a.c"), "xabcx", True),
        (re.compile("a.c"), "ABC", False),
        (re.compile("(?i)a.c"), "ABC", True),
    ],
)
def test_plain_text_stands_anywhere_whatever_its_case_and_a_pattern_as_it_says(wanted, text, found):
    assert needle(wanted, "x").within(Hay(text)) is found


@pytest.mark.parametrize(
    ("wanted", "name", "found"),
    [
        ("gpt-5", "gpt-5", True),
        ("gpt-5", "gpt-5-mini", False),
        ("gpt-5", "GPT-5", False),
        (re.compile("^gpt"), "gpt-5", True),
    ],
)
def test_a_name_is_meant_whole_and_with_its_case(wanted, name, found):
    assert needle(wanted, "x").names(name) is found


def test_needles_are_told_as_they_were_written():
    assert [str(each) for each in needles(["Hi", re.compile("a+")], "x")] == ["'Hi'", "/a+/"]


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (5, "here cannot be 5\n    Write text, re.compile(…), or a list of these."),
        (["a", None], "here cannot be None\n    Write text, re.compile(…), or a list of these."),
        (re.compile(b"a"), "here cannot be re.compile(b'a')\n    Write text, re.compile(…), or a list of these."),
        ("", "here is empty, and empty text stands everywhere\n    Write the text, or take it out."),
        ([], "here is an empty list, and asks for nothing\n    Write text, or take it out."),
    ],
)
def test_what_cannot_be_looked_for_is_refused(wrong, text):
    with pytest.raises(UsageError) as caught:
        needles(wrong, "here")
    assert str(caught.value) == text
