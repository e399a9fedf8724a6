"""Work outside the event loop that a jump must not overtake: threads, executor jobs, child processes.

A job counts from its beginning until it has ended *and* the loop has seen its end, so that no jump slips between the
two. Also keeps the names of the sockets that are inside (see `peers.py`). Knows no clock and no loop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any, Protocol


class Child(Protocol):
    """A child process as asyncio's subprocess transports show it."""

    def get_returncode(self) -> int | None:
        """None while it lives."""


class Work:
    """One job."""

    def __init__(self, outside: Outside, *, running: bool) -> None:
        self._outside = outside
        self._begun = False
        self.ended = not running
        self._collected = False

    def wrap(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """`fn`, which marks the end itself, in the thread that runs it."""

        def job(*args: Any, **kwargs: Any) -> Any:
            self._begun = True
            try:
                return fn(*args, **kwargs)
            finally:
                self.ended = True
                self._settle()

        return job

    def collect(self, *_: object) -> None:
        """Nobody waits for the result any more. A job whose function never began is over with that."""
        self._collected = True
        if not self._begun:
            self.ended = True
        self._settle()

    def _settle(self) -> None:
        if self.ended and self._collected:
            self._outside.forget(self)


class Outside:
    """All outside work of one run."""

    def __init__(self) -> None:
        self.inside: set[Hashable] = set()
        self._lock = threading.Lock()
        self._works: set[Work] = set()
        self._children: list[Child] = []

    def begin(self, *, running: bool = True) -> Work:
        """A job begins. One that is not `running` is a formality: it must be waited for, and takes no time."""
        work = Work(self, running=running)
        with self._lock:
            self._works.add(work)
        return work

    def forget(self, work: Work) -> None:
        """A job is over."""
        with self._lock:
            self._works.discard(work)

    def watch(self, child: Child) -> None:
        """A child process was born."""
        self._children.append(child)

    def pending(self) -> bool:
        """Whether anything is under way, or over and not yet seen by the loop."""
        return bool(self._works) or self._a_child_lives()

    def running(self) -> bool:
        """Whether anything is under way still."""
        with self._lock:
            return any(not work.ended for work in self._works) or self._a_child_lives()

    def _a_child_lives(self) -> bool:
        if self._children:
            self._children = [child for child in self._children if child.get_returncode() is None]
        return bool(self._children)
