"""Text that others wrote, made fit to be shown: nothing in it is invisible, turns direction, or fills a page.

Knows no format: whoever writes HTML, XML or Markdown still escapes what means something there.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from squall.canonical import plain
from squall.checks.redact import redact

LONGEST = 300
"""Characters of a text that are shown, unless somebody asks for more or fewer."""
MASKED = 20_000
"""Characters that are looked through for what is personal or secret; the rest is never shown."""
BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufe00-\ufe0d\U000e0100-\U000e01ef]")
"""Characters that count as printable and show nothing."""
MARKS = "\u0300-\u036f\u0483-\u0489\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
SPACES = "\t\n\r\u00a0\u202f\u3000"
STACKED = re.compile(f"([{MARKS}]{{2}})[{MARKS}]+")
"""Marks upon marks, which would grow over the lines above and below."""


def visible(text: str, longest: int = LONGEST) -> str:
    """One line: white space is a space, what cannot be seen is its escape (U+202E), what is too long is cut.

    A text that was cut says how long it was: `aaaa … (1,000,000 characters)`.
    """
    size = len(text)
    head = text if size <= longest else text[:longest]
    if not (head.isascii() and head.isprintable()):
        head = STACKED.sub(r"\1", BLANK.sub(_escape, "".join(map(_seen, head))))
    return head if size <= longest else f"{head.rstrip()} … ({size:,} characters)"


def payload(value: Any, longest: int = LONGEST) -> str:
    """A value of JSON as one visible line, with personal data and secrets masked. A text stands there as it is."""
    text = value if isinstance(value, str) else _written(value)
    size = len(text)
    masked = redact(text[:MASKED])
    shown = visible(masked, longest)
    if size > MASKED:
        return f"{visible(masked[:longest], longest).rstrip()} … ({size:,} characters)"
    return shown


def _written(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError, RecursionError, OverflowError):
        return msgspec.json.encode(plain(value)).decode()


def _seen(character: str) -> str:
    if character.isprintable():
        return character
    return " " if character in SPACES else _escaped(character)


def _escape(found: re.Match[str]) -> str:
    return _escaped(found[0])


def _escaped(character: str) -> str:
    """As Python spells it."""
    if character.isascii():
        return f"\\x{ord(character):02x}"
    return character.encode("ascii", "backslashreplace").decode()
