"""Work outside the event loop that a jump must not overtake: threads, executor jobs, child processes.

A job counts from its beginning until it has ended *and* the loop has seen its end, so that no jump slips between the
two. Also keeps the names of the sockets that are inside (see `peers.py`). Knows no clock and no loop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable
from typing import Any


class Work:
    """One job. `deaf` tells that the loop will not see its end any more."""

    def __init__(self, deaf: Callable[[], bool], *, running: bool) -> None:
        self._deaf = deaf
        self._begun = False
        self._collected = False
        self.ended = not running

    def wrap(self, fn: Callable[..., Any]) -> Callable[..., Any]:
        """`fn`, which marks the end itself, in the thread that runs it."""

        def job(*args: Any, **kwargs: Any) -> Any:
            self._begun = True
            try:
                return fn(*args, **kwargs)
            finally:
                self.ended = True

        return job

    def collect(self, *_: object) -> None:
        """Nobody waits for the result any more. A job whose function never began is over with that."""
        self._collected = True
        if not self._begun:
            self.ended = True

    def over(self) -> bool:
        """Whether nothing of it is to be waited for."""
        return self.ended and (self._collected or self._deaf())


class Outside:
    """All outside work of one run. Works begin and end on any thread; the clock's own thread asks."""

    def __init__(self) -> None:
        self.inside: set[Hashable] = set()
        self._lock = threading.Lock()
        self._works: list[Work] = []
        self._children: list[Callable[[], bool]] = []

    def begin(self, deaf: Callable[[], bool], *, running: bool = True) -> Work:
        """A job begins. One that is not `running` is a formality: it must be waited for, and takes no time."""
        work = Work(deaf, running=running)
        with self._lock:
            self._works.append(work)
        return work

    def watch(self, lives: Callable[[], bool]) -> None:
        """A child process was born."""
        self._children.append(lives)

    def pending(self) -> bool:
        """Whether anything is under way, or over and not yet seen by the loop."""
        if self._works:
            with self._lock:
                self._works = [work for work in self._works if not work.over()]
        return bool(self._works) or self._a_child_lives()

    def running(self) -> bool:
        """Whether anything is under way still."""
        with self._lock:
            return any(not work.ended for work in self._works) or self._a_child_lives()

    def what(self) -> str:
        """What is under way, in words."""
        return "a child process" if self._a_child_lives() else "work in a thread or another process"

    def _a_child_lives(self) -> bool:
        if self._children:
            self._children = [lives for lives in self._children if lives()]
        return bool(self._children)
