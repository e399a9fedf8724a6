"""Parts of how a run ends: what functions return, the bugs of the world's own code.

Knows no trace and no status.
"""

from __future__ import annotations

from collections.abc import Sequence
from inspect import isawaitable
from typing import Any

from squall.errors import SquallError, UsageError
from squall.interpose.promises import to_its_end


class HandlerBug(SquallError):
    """A handler of the world raised what no handler should. The agent saw a plain internal error."""


class Nowhere:
    """The service of a run without a world: it has no operations, so nothing ever reaches it."""

    revision = 0

    def __getattr__(self, name: str) -> Any:
        raise UsageError(f"this run has no world, so there is nothing to {name}")


def ended(value: Any) -> None:
    """A function given to `finally_` may be `async def`: what it returned is run to its end."""
    if isawaitable(value):

        async def whole() -> None:
            await value

        to_its_end(whole())


def bugs(found: Sequence[tuple[str, Exception]]) -> list[BaseException]:
    """Each bug once, however many calls it hit."""
    bugs: dict[str, BaseException] = {}
    for tool, error in found:
        bug: SquallError = HandlerBug(f"the handler of {tool} raised {type(error).__name__}: {error}")
        bug.__cause__ = error
        if isinstance(error, SquallError):
            bug = error
        bugs.setdefault(str(bug), bug)
    return list(bugs.values())
