"""What one endpoint of a provider knows: how its requests are read, and how replies and errors are written.

`wire/provider` serves with these; they live in `wire/openai` and `wire/anthropic`. Knows no connection and no fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec

from squall.call import BadRequest, ModelRequest, Reply, Target


class Stamp(msgspec.Struct, frozen=True):
    """What a reply is labelled with: the time in whole seconds since 1970, and ids.

    `id(prefix, place)` gives `prefix` and 24 letters and digits, the same for the same request in every run.
    """

    created: int
    id: Callable[..., str]


class Frames(msgspec.Struct, frozen=True):
    """A stream, event by event, each as it goes over the wire, with its empty line. The first may hold a role alone.

    The last `terminal` of them say that the reply is complete.
    """

    events: list[bytes]
    terminal: int


class Dialect(Protocol):
    """One endpoint that asks a model something."""

    target: Target

    def read(self, body: Mapping[str, Any], headers: Mapping[str, str]) -> ModelRequest:
        """The request in a body. Raises `BadRequest` for what the provider refuses, a broken history excepted."""
        ...

    def whole(self, request: ModelRequest, reply: Any, stamp: Stamp) -> dict[str, Any]:
        """The body of a reply (`Reply`; of embeddings, a list of vectors)."""
        ...

    def frames(self, request: ModelRequest, reply: Reply, stamp: Stamp, *, interleaved: bool = False) -> Frames:
        """The events of a stream. `interleaved`: the deltas of parallel calls take turns."""
        ...

    def empty(self, body: dict[str, Any]) -> dict[str, Any]:
        """The body of a reply in which nobody chose anything."""
        ...


class Shapes(Protocol):
    """What all endpoints of a provider share."""

    def error(self, problem: BadRequest, request_id: str) -> dict[str, Any]:
        """The body of an error."""
        ...

    def in_words(self, status: int) -> str:
        """The provider's own kind of text for a status."""
        ...

    def error_event(self, problem: BadRequest, request_id: str, endpoint: str) -> bytes:
        """The event that ends a stream with an error."""
        ...

    def ping(self, endpoint: str) -> bytes:
        """A sign of life in a stream."""
        ...

    def headers(self, request_id: str, *, spent: float | None = None) -> dict[str, str]:
        """Those of every answer: the request's id, and what is left of rate limits.

        `spent`: no request is left, for so many seconds.
        """
        ...
