"""Texts that are looked for in other texts: plain ones regardless of case, or regular expressions. Knows no request."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property

import msgspec

from squall.errors import Problem, UsageError, shown

Text = str | re.Pattern[str]
Texts = Text | Sequence[Text]


class Hay:
    """A text in which others are looked for."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def folded(self) -> str:
        """The text without its case."""
        return self.text.casefold()

    def __str__(self) -> str:
        return shown(self.text)


class Needle(msgspec.Struct, frozen=True):
    """What is looked for. Plain text is found anywhere in another, whatever the case of both; a pattern as it says."""

    text: str
    folded: str
    pattern: re.Pattern[str] | None = None

    def within(self, hay: Hay) -> bool:
        """Whether it stands there."""
        return self.folded in hay.folded if self.pattern is None else self.pattern.search(hay.text) is not None

    def names(self, name: str) -> bool:
        """Whether it is this name: all of it, and with its case, unless it is a pattern."""
        return self.text == name if self.pattern is None else self.pattern.search(name) is not None

    def __str__(self) -> str:
        return shown(self.text) if self.pattern is None else f"/{self.text}/"


def needle(text: object, where: str) -> Needle:
    """One text or compiled pattern as a needle; `where` is what errors call the place it was written."""
    if isinstance(text, re.Pattern) and isinstance(text.pattern, str):
        return Needle(text.pattern, "", text)
    if not isinstance(text, str):
        raise UsageError(
            Problem(f"{where} cannot be {shown(text)}", hint="Write text, re.compile(…), or a list of these.")
        )
    if not text:
        raise UsageError(
            Problem(f"{where} is empty, and empty text stands everywhere", hint="Write the text, or take it out.")
        )
    return Needle(text, text.casefold())


def needles(texts: object, where: str) -> tuple[Needle, ...]:
    """One text or several as needles."""
    several: Iterable[object] = texts if isinstance(texts, list | tuple | set | frozenset) else (texts,)
    found = tuple(needle(text, where) for text in several)
    if not found:
        raise UsageError(Problem(f"{where} is an empty list, and asks for nothing", hint="Write text, or take it out."))
    return found
