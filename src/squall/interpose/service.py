"""What stands behind the interposer: something with operations that can be called. A world is one.

Neutral, so that a real server or the user's own functions can stand there too.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

from squall.call import CallRef, Target


class Operation(Protocol):
    """One thing that a service does."""

    @property
    def tool(self) -> str:
        """Its name on the wire."""
        ...

    @property
    def target(self) -> Target:
        """What a call to it addresses."""
        ...

    @property
    def is_async(self) -> bool:
        """Whether calling it gives an awaitable."""
        ...


class Service(Protocol):
    """Where calls end. `call` raises `squall.call.Refused` for clean refusals; anything else it raises is a bug."""

    @property
    def revision(self) -> int:
        """Committed writes so far."""
        ...

    def call(self, tool: str, args: Mapping[str, Any], *, ref: CallRef | None = None, commit: bool = True) -> Any:
        """Run an operation, or with `commit=False` find its answer without any effect. Awaitable where it is async."""
        ...

    def as_of(self, writes: int, tool: str, args: Mapping[str, Any]) -> Any:
        """The answer of a read that does not know of the latest `writes` writes."""
        ...

    def age_of(self, tool: str, args: Mapping[str, Any]) -> float | None:
        """Seconds since the addressed record's first datetime field; None where there is none."""
        ...

    @property
    def settling(self) -> bool:
        """Whether what lands now must land at once: a run that ends does not wait for its loop to go on."""
        ...

    def later(self, seconds: float, thunk: Callable[[], None]) -> object:
        """Run `thunk` on the clock, whatever becomes of the request."""
        ...
