"""Texts that must never reach the model: secrets, or another customer's data. Knows no brain."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from squall.call import ModelRequest
from squall.errors import Problem, UsageError, shown
from squall.models.brain import NoMatch
from squall.models.seen import place, written

SPOKEN = ("system", "instructions", "messages", "input")
"""Where a body of any provider has what is said: also what no message keeps, such as documents and thoughts."""
KINDS = ("type", "role")


class Sentinels:
    """Texts that may stand nowhere in a request's messages: exactly as they are, or spelt as JSON spells them."""

    def __init__(self, texts: Iterable[str] = ()) -> None:
        given: tuple[Any, ...] = (texts,) if isinstance(texts, str) else tuple(texts)
        for text in given:
            if not isinstance(text, str) or not text:
                hint = "Write text that must never reach the model."
                raise UsageError(Problem(f"a sentinel cannot be {shown(text)}", hint=hint))
        self.texts: tuple[str, ...] = given
        self._spellings = tuple((text, _spellings(text)) for text in self.texts)

    def check(self, request: ModelRequest) -> None:
        """Raise NoMatch where one of them stands in a message: in its text, a call, a result, a document, a thought."""
        if not self._spellings:
            return
        for number, message in enumerate(request.messages):
            self._look(written(message), place(request, number))
        for name in SPOKEN:
            for hay, where in _texts(request.body.get(name), name):
                self._look(hay, where)

    def _look(self, hay: str, where: str) -> None:
        for text, spellings in self._spellings:
            if any(each in hay for each in spellings):
                raise NoMatch(
                    "a text that must never reach the model is in the messages",
                    f"the sentinel {shown(text)} stands in {where}",
                )


def _texts(value: Any, where: str) -> Iterator[tuple[str, str]]:
    """All texts in a part of a body, each with its place. What names a kind or a role is none."""
    left = [(value, where)]
    while left:
        value, where = left.pop()
        if isinstance(value, str):
            yield value, where
        elif isinstance(value, list):
            left += [(each, f"{where}.{place}") for place, each in enumerate(value)]
        elif isinstance(value, dict):
            left += [(each, f"{where}.{key}") for key, each in value.items() if key not in KINDS]


def _spellings(text: str) -> tuple[str, ...]:
    """The text itself, and how it looks in JSON, with and without escapes for what is not ASCII."""
    return tuple(dict.fromkeys((text, *(json.dumps(text, ensure_ascii=each)[1:-1] for each in (False, True)))))
