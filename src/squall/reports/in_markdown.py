"""Markdown's own needs: text that is nothing but text, and tables. Knows no report."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

SPECIAL = re.compile(r"[\\`*_\[\]~|#!$:@]")
ENTITIES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
LONGEST = 500


def escaped(words: str) -> str:
    """Words as one line of text, whatever they are made of: nothing in it becomes a link, a cell or a tag."""
    words = " ".join("".join(each if each.isprintable() else " " for each in words).split())
    if len(words) > LONGEST:
        words = f"{words[:LONGEST]} …"
    return SPECIAL.sub(r"\\\g<0>", words.translate(ENTITIES))


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """The lines of a table, whose cells are Markdown already."""
    for row in (head, ["---"] * len(head), *rows):
        yield f"| {' | '.join(row)} |"
