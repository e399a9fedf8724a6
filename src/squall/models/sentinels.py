"""Texts that must never reach the model: secrets, or another customer's data. Knows no brain."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from squall.call import ModelRequest
from squall.errors import Problem, UsageError, shown
from squall.models.brain import NoMatch
from squall.models.seen import place, written


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
        """Raise NoMatch where one of them stands in a message, in a call's arguments, or in a result."""
        if not self._spellings:
            return
        for number, message in enumerate(request.messages):
            hay = written(message)
            for text, spellings in self._spellings:
                if any(each in hay for each in spellings):
                    raise NoMatch(
                        "a text that must never reach the model is in the messages",
                        f"the sentinel {shown(text)} stands in {place(request, number)}",
                    )


def _spellings(text: str) -> tuple[str, ...]:
    """The text itself, and how it looks in JSON, with and without escapes for what is not ASCII."""
    return tuple(dict.fromkeys((text, *(json.dumps(text, ensure_ascii=each)[1:-1] for each in (False, True)))))
