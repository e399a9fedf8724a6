"""Which of a run's threads are at work, as their stacks tell.

A thread counts if it was started in the run, or if it waited for a message when the run began and may be sent one now.
It is idle while it waits for a message without a time limit (a queue, an event, a condition) that nobody has sent yet,
for a future that the run's own loop will set, or in an event loop or server of its own that has nothing to do;
everything else is work, sleep included. A wait for a message that has a limit is how monitors and consumers idle: it is
waited for once around, if that is short, and anew whenever the thread has woken the run's loop.

Not seen here, because they are counted by their jobs or never wake an agent: workers of pools, squall's own threads,
and the housekeepers below. Knows no clock and no loop of the run.
"""

from __future__ import annotations

import functools
import math
import sys
import threading
from collections.abc import Container, Iterable
from types import FrameType
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakSet

if TYPE_CHECKING:
    from concurrent.futures import Future

PATIENCE = 1.0  # seconds: how long a wait for a message may be for the thread to be waited for once around
# Modules whose threads are counted by their jobs, or are the run's own.
COUNTED = ("concurrent.futures.thread.", "concurrent.futures.process.", "anyio._backends.", "squall.")
SHUTDOWN = "._do_shutdown"  # asyncio's thread that waits for the threads of its pool
WAITPID = "._do_waitpid"  # asyncio's thread that waits for a child, and tells its loop of the end
REPORTERS = ("agents.tracing.",)  # of a package whose other threads may well wake an agent
# Threads that look after a process or tell others about it, and never wake an agent.
HOUSEKEEPERS = (
    "pytest_timeout", "tqdm", "opentelemetry", "sentry_sdk", "posthog", "langsmith", "langfuse", "ddtrace", "debugpy",
    "pydevd", "_pydevd_bundle",
)  # fmt: skip


class Waiting(NamedTuple):
    """A wait for a message: for how many seconds at most, and what tells it from the thread's next wait."""

    most: float
    waiter: object = None


class Threads:
    """The threads of one run. They are born on any thread; the clock's own thread asks."""

    def __init__(self) -> None:
        self.births = 0
        self._lock = threading.Lock()
        self._known: list[threading.Thread] = []
        self._rounds: dict[int, object] = {}  # by thread: the short wait that is waited for
        self._promised: WeakSet[Future[Any]] = WeakSet()  # what the run's loops will set

    def begin(self, apart: Iterable[int]) -> None:
        """The run begins. `apart`: the threads that have a clock of their own."""
        apart = {threading.get_ident(), *apart}
        frames = sys._current_frames()  # noqa: SLF001 - the documented way to see stacks, whatever its name
        for thread in threading.enumerate():
            frame = frames.get(thread.ident or 0)
            if frame is not None and thread.ident not in apart and may_wake(thread):
                waiting = waiting_of(frame)
                if waiting is not None and waiting.waiter is not None and math.isinf(waiting.most):
                    self._known.append(thread)

    def born(self, thread: threading.Thread) -> None:
        """A thread has been started in the run."""
        if may_wake(thread):
            with self._lock:
                self.births += 1
                self._known.append(thread)
                self._rounds.pop(thread.ident or 0, None)

    def woke(self, callback: object) -> None:
        """The calling thread has woken a loop of the run, to call something there."""
        if self._known:
            self._rounds.pop(threading.get_ident(), None)
            # this is how asyncio and anyio let a thread wait for a coroutine
            held = [cell.cell_contents for cell in getattr(callback, "__closure__", None) or ()]
            for each in (*held, *(each for group in held if isinstance(group, tuple) for each in group)):
                if isinstance(each, sys.modules["concurrent.futures"].Future):
                    self._promised.add(each)

    def at_work(self) -> str | None:
        """A thread that is at work, in words."""
        if not self._known:
            return None
        with self._lock:
            self._known = [thread for thread in self._known if thread.is_alive()]
        frames = sys._current_frames()  # noqa: SLF001 - as above
        for thread in self._known:
            frame = frames.get(thread.ident or 0)
            if frame is not None and thread.ident != threading.get_ident() and self._works(thread, frame):
                name = origin(thread)
                return "a child process" if name.endswith(WAITPID) else f"a thread that runs {name}"
        return None

    def _works(self, thread: threading.Thread, frame: FrameType) -> bool:
        waiting = waiting_of(frame, self._promised)
        if waiting is None or isinstance(thread, threading.Timer):
            return True
        if waiting.most > PATIENCE:
            return False
        return self._rounds.setdefault(thread.ident or 0, waiting.waiter) is waiting.waiter


def waiting_of(frame: FrameType, promised: Container[object] = ()) -> Waiting | None:
    """The wait for a message that a thread is in, by its innermost frame; None if it works.

    Whoever waits for a future waits for somebody else's work, unless it is one of those `promised`.
    """
    code, module = frame.f_code, frame.f_globals.get("__name__")
    if module == "threading" and code.co_qualname == "Condition.wait":
        return None if _awaits_work(frame, promised) else _waiting(frame.f_locals)
    if module == "selectors" and code.co_name == "select" and frame.f_back is not None:
        return Waiting(math.inf) if _serves_nobody(frame.f_back) else None
    return None


def _waiting(names: dict[str, Any]) -> Waiting | None:
    waiter = names.get("waiter")
    # a waiter that has been notified is taken off the list, by whoever notifies it, before its thread knows
    if waiter is None or waiter not in names["self"]._waiters:  # noqa: SLF001 - nothing public tells
        return None
    return Waiting(math.inf if names["timeout"] is None else names["timeout"], waiter)


def _awaits_work(frame: FrameType, promised: Container[object]) -> bool:
    callers = [each for each in (frame.f_back, frame.f_back and frame.f_back.f_back) if each is not None]
    future = next((each for each in callers if each.f_globals.get("__name__") == "concurrent.futures._base"), None)
    return future is not None and future.f_locals.get("self") not in promised


def _serves_nobody(frame: FrameType) -> bool:
    """Whether a loop that selects has nothing else to do. Connections to it are seen by the run's own loop."""
    module = frame.f_globals.get("__name__")
    if module == "socketserver":
        return True
    if module != "asyncio.base_events" or frame.f_code.co_name != "_run_once":
        return False
    loop = frame.f_locals["self"]
    soon = [handle for handle in (*loop._ready, *loop._scheduled) if not handle.cancelled()]  # noqa: SLF001 - as above
    return not soon and not sys.modules["asyncio"].all_tasks(loop)


def may_wake(thread: threading.Thread) -> bool:
    """Whether a thread might wake a loop of the run, by other means than a job that is counted."""
    name = origin(thread)
    if name.startswith((*COUNTED, *REPORTERS)) or name.endswith(SHUTDOWN):
        return False
    return name.split(".")[0] not in HOUSEKEEPERS


def origin(thread: threading.Thread) -> str:
    """What a thread was started with: `module.function`, or `module.Class` where that says itself what it runs."""
    timer = isinstance(thread, threading.Timer)
    function: Any = getattr(thread, "function" if timer else "_target", None)
    while isinstance(function, functools.partial):
        function = function.func
    if function is None:
        function = type(thread)
    elif not hasattr(function, "__qualname__"):
        function = type(function)
    return f"{function.__module__}.{function.__qualname__}"
