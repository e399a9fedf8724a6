"""What answering one request does to its connection, step by step, without doing it.

So one answer is written once, and followed by an asyncio connection, or under a sync client without any socket. A
generator of steps may end early: `Disconnected` is thrown into it when the client has gone.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import Any

import msgspec


class Send(msgspec.Struct, frozen=True):
    """Put bytes on the wire."""

    data: bytes


class Wait(msgspec.Struct, frozen=True):
    """Let time pass. `capped`: nobody stated this length, so wall time may cut it; `forever`: until the run's limit.

    `True` is sent back into the generator where it was real time that passed.
    """

    seconds: float = 0.0
    capped: bool = False
    forever: bool = False


class Await(msgspec.Struct, frozen=True):
    """Wait for something of an async brain's; its result is sent back into the generator, its error thrown in."""

    what: Awaitable[Any]


class Fin(msgspec.Struct, frozen=True):
    """Close the connection in order: the other side reads to the end."""


class Reset(msgspec.Struct, frozen=True):
    """Break the connection: the other side gets an error."""


Step = Send | Wait | Await | Fin | Reset
Steps = Generator[Step, Any, None]
"""Where it ends without `Fin` or `Reset`, the connection stays open for the next request if both sides allow it."""


class Disconnected(Exception):
    """The client has closed the connection while it was being answered."""


class Stopped(Disconnected):
    """It was the server that has ended while it answered, and not the client."""


class HttpRequest(msgspec.Struct, frozen=True):
    """One request. `path` is decoded and without the query; the last of equal headers counts, named in lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


class Malformed(msgspec.Struct, frozen=True):
    """Bytes that are no request: `status` 400, 413 or 431, and why."""

    status: int
    message: str
    path: str = ""


Answer = Callable[[HttpRequest], Steps]
Refuse = Callable[[Malformed], bytes]
"""Gives the whole response to what is no request; the connection is closed after it."""
