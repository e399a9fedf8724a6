"""Async attempts whose effect a phase promises: they go on without their caller.

Where their loop ended first they are made again. Decides nothing, and knows neither faults nor traces.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any, TypeVar

from squall.call import Outcome
from squall.clock.real import running_loop

if TYPE_CHECKING:
    import asyncio

Attempt = Callable[[], Coroutine[Any, Any, Outcome]]
T = TypeVar("T")


class Promises:
    """The attempts of one run that must not be lost.

    A handler is one transaction, so an attempt that was cut short has left nothing behind and can be made anew.
    """

    def __init__(self) -> None:
        self._open: dict[asyncio.Task[Outcome], Attempt] = {}

    def begin(self, attempt: Attempt, loop: asyncio.AbstractEventLoop) -> asyncio.Task[Outcome]:
        """Start an attempt in a task of its own, which no cancellation of its caller reaches. Nobody need await it."""
        task = loop.create_task(attempt())
        self._open[task] = attempt
        task.add_done_callback(self._ended)
        return task

    def keep(self) -> None:
        """Bring what is still under way to its end here and now, in order of beginning."""
        while self._open:
            task = next(iter(self._open))
            attempt = self._open.pop(task)
            if task.done() and not task.cancelled():
                continue  # it has ended just now, and its loop could not say so yet
            if not task.get_loop().is_closed():
                task.get_loop().call_soon_threadsafe(task.cancel)  # its loop may run in another thread
            to_its_end(attempt())

    def _ended(self, task: asyncio.Task[Outcome]) -> None:
        if not task.cancelled():
            self._open.pop(task, None)


def to_its_end(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end in a loop of its own, also while another loop runs here and waits for it."""
    import asyncio  # here alone: a run without async operations never pays for it

    outer = running_loop()
    if outer is None:
        return asyncio.run(coroutine)
    task = _set_aside(outer, None)
    asyncio._set_running_loop(None)  # noqa: SLF001 - documented for those who run loops
    try:
        with asyncio.Runner(loop_factory=asyncio.new_event_loop) as runner:
            return runner.run(coroutine)
    finally:
        asyncio._set_running_loop(outer)  # noqa: SLF001 - as above
        _set_aside(outer, task)


def _set_aside(loop: asyncio.AbstractEventLoop, task: Any) -> Any:
    """Swap the task that a thread is in, where (from Python 3.12 on) there is one such per thread."""
    swap = getattr(sys.modules["asyncio.tasks"], "_swap_current_task", None)
    return None if swap is None else swap(loop, task)
