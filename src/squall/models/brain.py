"""What decides the model's words: the protocol of brains, and how one says that it has no answer.

A brain is asked once for each request that was found valid, in any order and for many conversations at once. It knows
no protocol: how its reply goes over the wire is not its business.
"""

from __future__ import annotations

from collections.abc import Awaitable
from typing import Protocol

from squall.call import ModelRequest, Reply
from squall.errors import SquallError
from squall.models.seen import Seen


class NoMatch(SquallError):
    """A brain has no answer to a request: the run has failed, and the agent gets an error in the provider's shape.

    `what` says what was looked for; `nearest` which turn or rule came nearest and why it did not match. Both are for
    the person who tests.
    """

    def __init__(self, what: str, nearest: str) -> None:
        super().__init__(what, nearest)
        self.what = what
        self.nearest = nearest

    def __str__(self) -> str:
        return f"{self.what}: {self.nearest}"


class Brain(Protocol):
    """Decides what the fake model answers."""

    def answer(self, request: ModelRequest) -> Reply | Awaitable[Reply]:
        """The reply to a request; the same for an equal request. Raises `NoMatch` where there is none."""
        ...

    def unused(self) -> list[str]:
        """A sentence about each part that no request has used so far; empty where nothing can be said."""
        ...


class Echo:
    """The least that a brain can do: it says what the user has said last."""

    def answer(self, request: ModelRequest) -> Reply:
        """The text of the last user message."""
        return Reply(Seen(request).user.text)

    def unused(self) -> list[str]:
        """Nothing."""
        return []
