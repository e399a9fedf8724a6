"""Which run is going on. A test's run is found from any thread and any task of it."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from squall.errors import UsageError

if TYPE_CHECKING:
    from squall.runs.environment import Environment

_context: ContextVar[Environment | None] = ContextVar("squall_run", default=None)
_entered: list[Environment] = []


def current() -> Environment | None:
    """The run of this context, else the one entered last in this process, else None."""
    found = _context.get()
    if found is not None and found in _entered:
        return found
    return _entered[-1] if _entered else None


def finally_(fn: Callable[[], Any]) -> Callable[[], Any]:
    """Register `fn` to run when the agent has ended, however it ended; usable as a decorator.

    Functions run in the order of registration, and each runs even if one before it fails.
    """
    run = current()
    if run is None:
        message = "squall.finally_ needs a run: a test marked @pytest.mark.world, or `with squall.world(…)`"
        raise UsageError(message)
    return run.finally_(fn)


def enter(run: Environment) -> None:
    """Make `run` the current one."""
    _entered.append(run)
    _context.set(run)


def leave(run: Environment) -> None:
    """`run` is over."""
    if run in _entered:
        _entered.remove(run)
    if _context.get() is run:
        _context.set(None)
