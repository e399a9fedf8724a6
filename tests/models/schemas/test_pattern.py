"""Texts for regular expressions: what is made is found by the expression."""

from __future__ import annotations

import re

import pytest

from squall.models.schemas.pattern import text_for

PATTERNS = [
    r"^[A-Z]{2}\d{3,5}$",
    r"^(?:a|b)+c?$",
    r"^(?P<year>\d{4})-(0[1-9]|1[0-2])$",
    r"[^\s@]+@[^\s@]+\.[a-z]{2,}",
    r"^\$\d+\.\d{2}$",
    r"^[\w.+-]+$",
    r"^\x41\u0042\t$",
    r"^.{3}$",
    r"^a*?b+?$",
    r"^[]x]$",
    r"^[^]x]$",
    r"^\D\W\S$",
    r"^(?=ab)ab$",
    r"^[a\-z]$",
    r"",
    r"^$",
    r"^[+\-]?\d+(\.\d+)?$",
    r"^[\u00e4-\u00e6]$",
    r"\bword\b",
    r"a{2}",
    r"^[é]$",
    r"^[a-]$",
    r"^[\S]$",
    r"^[\x41-\x43]$",
]


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("more", [0, 2])
@pytest.mark.parametrize("variant", [0, 1])
def test_what_is_made_for_a_pattern_is_found_by_it(pattern, more, variant):
    assert re.search(pattern, text_for(pattern, more=more, variant=variant))


def test_a_property_of_unicode_is_a_letter():
    assert text_for(r"^\p{L}{2}$") == "aa"


def test_more_repetitions_and_other_variants_give_other_texts():
    assert text_for("^[a-c]+$") == "a"
    assert text_for("^[a-c]+$", more=2) == "aaa"
    assert text_for("^[a-c]+$", variant=1) == "b"


@pytest.mark.parametrize("pattern", ["(", "[a", "a\\", "(a", "a)"])
def test_a_pattern_that_is_none_is_refused(pattern):
    with pytest.raises(ValueError, match="the pattern"):
        text_for(pattern)
