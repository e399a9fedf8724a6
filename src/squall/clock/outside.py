"""Work outside the event loop that a jump must not overtake: jobs, threads, child processes.

A job counts from its beginning until it has ended *and* the loop has been told, so that no jump slips between the two.
It costs the run no time, if it ends; threads and children do (see `threads.py`, `children.py`). Also keeps the names
of the sockets that are inside (see `peers.py`). Knows no clock and no loop.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable
from typing import TYPE_CHECKING, Any

from squall.clock.children import Children
from squall.clock.threads import Threads

if TYPE_CHECKING:
    from concurrent.futures import Future


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


class Awaited:
    """A job whose result is a future. `told`: nobody is to be told of its end, or everybody has been."""

    def __init__(self, future: Future[Any], *, told: bool) -> None:
        self._future = future
        self.told = told

    @property
    def ended(self) -> bool:
        """Whether it has a result."""
        return self._future.done()

    def over(self) -> bool:
        """Whether nothing of it is to be waited for."""
        return self.told and self.ended


class Outside:
    """All outside work of one run. It begins and ends on any thread; the clock's own thread asks."""

    def __init__(self) -> None:
        self.inside: set[Hashable] = set()
        self.threads = Threads()
        self.children = Children()
        self._lock = threading.Lock()
        self._jobs: list[Work | Awaited] = []

    def start(self, apart: Iterable[int]) -> None:
        """The run begins. `apart`: the threads that have a clock of their own."""
        self.threads.begin(apart)
        self.children.begin()

    def begin(self, deaf: Callable[[], bool], *, running: bool = True) -> Work:
        """A job begins. One that is not `running` is a formality: it must be waited for, and takes no time."""
        work = Work(deaf, running=running)
        self._add(work)
        return work

    def expect(self, future: Future[Any]) -> None:
        """A job was handed over, whoever waits for it."""
        self._add(Awaited(future, told=True))

    def told(self, future: Future[Any], fn: Callable[[Future[Any]], object]) -> Callable[[Future[Any]], object]:
        """`fn`, which waits for the end of a job and tells the loop of it."""
        awaited = Awaited(future, told=False)
        self._add(awaited)

        def tell(future: Future[Any]) -> object:
            try:
                return fn(future)
            finally:
                awaited.told = True

        return tell

    def pending(self) -> bool:
        """Whether any job is under way, or over and the loop not told yet."""
        if self._jobs:
            with self._lock:
                self._jobs = [job for job in self._jobs if not job.over()]
        return bool(self._jobs)

    def running(self) -> bool:
        """Whether any job is under way still."""
        with self._lock:
            return any(not job.ended for job in self._jobs)

    def at_work(self) -> str | None:
        """Whoever else is at work, in words."""
        return "a child process" if self.children.live() else self.threads.at_work()

    def _add(self, job: Work | Awaited) -> None:
        with self._lock:
            self._jobs.append(job)
