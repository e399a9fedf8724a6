"""Texts cut into the small pieces that a stream carries: words, or parts of long ones. Together they are the text."""

from __future__ import annotations

import re

WORDS = re.compile(r"\s*\S{1,16}|\s+")
ARGUMENTS = 16  # characters of a piece of arguments, at most


def words(text: str) -> list[str]:
    """A text, word by word, each with the space before it."""
    return WORDS.findall(text)


def arguments(text: str) -> list[str]:
    """JSON text of a call's arguments, in two pieces or more where it has two characters."""
    size = min(ARGUMENTS, max(1, (len(text) + 1) // 2))
    return [text[start : start + size] for start in range(0, len(text), size)]
