"""What is replaced to see work begin, however and by whatever library it is begun.

Methods of the standard library's own classes, so that it does not matter who has imported what before. Each asks which
run the calling thread belongs to: a clock's own thread, and every thread that was started in the run. Does not know
what is done about the work.
"""

from __future__ import annotations

import subprocess
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary, ref

from squall.errors import is_weather

if TYPE_CHECKING:
    from squall.clock.virtual import VirtualClock

Current = Callable[[], "VirtualClock | None"]
_runs: WeakKeyDictionary[threading.Thread, ref[VirtualClock]] = WeakKeyDictionary()
"""By thread the clock of its run. Weak both ways: a clock knows its threads, and would keep its whole run alive."""
__tracebackhide__ = is_weather


def NOBODY() -> None:  # noqa: N802 - stands where a reference to a clock would
    """No clock."""


def replacements(current: Current) -> Iterator[tuple[type, str, Callable[..., Any]]]:
    """The class, the method's name and what takes its place. `current`: the clock in charge of the calling thread."""

    def here() -> VirtualClock | None:
        return current() or _runs.get(threading.current_thread(), NOBODY)()

    yield threading.Thread, "start", _start(here)
    yield ThreadPoolExecutor, "submit", _submit(here)
    yield Future, "add_done_callback", _add_done_callback(here)
    yield subprocess.Popen, "__init__", _init(here)


def _start(here: Current) -> Callable[..., None]:
    original = threading.Thread.start

    def start(self: threading.Thread) -> None:
        clock = here()
        if clock is None:
            original(self)
            return
        _runs[self] = ref(clock)  # before it starts others
        original(self)
        clock.outside.threads.born(self)

    return start


def _submit(here: Current) -> Callable[..., Future[Any]]:
    original = ThreadPoolExecutor.submit

    def submit(self: ThreadPoolExecutor, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future = original(self, fn, *args, **kwargs)
        clock = here()
        if clock is not None:
            clock.outside.expect(future)
        return future

    return submit


def _add_done_callback(here: Current) -> Callable[..., None]:
    """Somebody waits for a future of another thread, loop or process: an event loop does it in this way."""
    original = Future.add_done_callback

    def add_done_callback(self: Future[Any], fn: Callable[[Future[Any]], object]) -> None:
        clock = here()
        original(self, fn if clock is None or self.done() else clock.outside.told(self, fn))

    return add_done_callback


def _init(here: Current) -> Callable[..., None]:
    original = subprocess.Popen.__init__

    def __init__(self: subprocess.Popen[Any], *args: Any, **kwargs: Any) -> None:  # noqa: N807 - it takes its place
        original(self, *args, **kwargs)
        clock = here()
        if clock is not None:
            clock.outside.children.born(self)

    return __init__
