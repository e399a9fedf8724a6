"""A built-in model that refuses texts which must never reach it."""

from __future__ import annotations

from collections.abc import Iterable

from squall.call import ModelRequest, Reply
from squall.models.builtin.spoken import Says
from squall.models.sentinels import Sentinels


class Guarded(Says):
    """Says its sentence, unless one of the sentinels stands anywhere in the messages."""

    def __init__(self, text: str, sentinels: Iterable[str]) -> None:
        super().__init__(text)
        self._sentinels = Sentinels(sentinels)

    def answer(self, request: ModelRequest) -> Reply:
        """The sentence. Raises NoMatch for a sentinel."""
        self._sentinels.check(request)
        return super().answer(request)
