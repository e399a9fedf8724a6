"""What is replaced while a virtual clock is in charge, and put back exactly afterwards.

`time.sleep`; the birth and the start of asyncio's event loops; anyio's worker threads; the beginnings of other work
(`births.py`). Each replacement asks which clock is in charge of the calling thread; where none is, the original runs.
Does not know how a loop is made virtual.
"""

from __future__ import annotations

import asyncio
import asyncio.base_events
import asyncio.events
import importlib
import sys
import threading
import time
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from squall.clock import births, real
from squall.clock.timers import wait_of
from squall.errors import Problem, UsageError, is_weather

if TYPE_CHECKING:
    from squall.clock.virtual import VirtualClock

_in_charge: list[VirtualClock] = []
_replaced: list[tuple[Any, str, Any]] = []
_keepers: list[None] = []
_lock = threading.RLock()
__tracebackhide__ = is_weather


def current() -> VirtualClock | None:
    """The innermost clock in charge of the calling thread."""
    me = threading.get_ident()
    return next((clock for clock in reversed(_in_charge) if clock.owner == me), None)


def enter(clock: VirtualClock) -> None:
    """Put a clock in charge; the first one brings the replacements."""
    with _lock:
        if clock not in _in_charge:
            task = real.running_task()
            clock.entered_by = None if task is None else weakref.ref(task)
        if not _replaced:
            _replace(time, "sleep", _sleep)
            for module in (asyncio.events, asyncio):
                _replace(module, "new_event_loop", _birth(asyncio.events.new_event_loop))
            _replace(asyncio.base_events.BaseEventLoop, "run_forever", _start())
            _replace(asyncio.Runner, "run", _run())
            for owner, name, value in births.replacements(current):
                _replace(owner, name, value)
        _in_charge.append(clock)


def refuse_overlap(clock: VirtualClock) -> None:
    """Refuse a clock that would be put in charge while another task is on an earlier one, in the same event loop.

    Which clock the loop is on would change under them, and either could leave first.
    """
    task, outer = real.running_task(), current()
    if task is None or outer is None or outer is clock or outer.entered_by is None:
        return
    other = outer.entered_by()
    if other is not None and other is not task and not other.done():
        raise UsageError(
            Problem(
                "two runs at once in one event loop: another task is in a run of its own",
                hint="let the tasks share one run, do the runs one after another, or give each a thread of its own",
            )
        )


def leave(clock: VirtualClock) -> None:
    """Take a clock out of charge; the last one takes the replacements along."""
    with _lock:
        last = len(_in_charge) - 1 - _in_charge[::-1].index(clock)
        del _in_charge[last]
        _restore()


@contextmanager
def kept() -> Iterator[None]:
    """Keep the replacements from one clock to the next, for who has many runs: to bring and take them costs each."""
    with _lock:
        _keepers.append(None)
    try:
        yield
    finally:
        with _lock:
            _keepers.pop()
            _restore()


def count_worker_threads() -> None:
    """Let anyio's worker threads be counted. Called with each loop: anyio may have come since."""
    try:
        backend = importlib.import_module("anyio._backends._asyncio").AsyncIOBackend
    except ImportError:
        return
    name = "run_sync_in_worker_thread"
    with _lock:
        if _in_charge and not any(owner is backend for owner, _, _ in _replaced):
            _replace(backend, name, classmethod(_in_thread(backend.__dict__[name].__func__)))


def _restore() -> None:
    while _replaced and not _in_charge and not _keepers:
        owner, name, original = _replaced.pop()
        setattr(owner, name, original)


def _replace(owner: Any, name: str, value: Any) -> None:
    _replaced.append((owner, name, owner.__dict__[name]))
    setattr(owner, name, value)


def _sleep(seconds: float, /) -> None:
    clock = current()
    # subprocess waits for a child by looking, sleeping, looking again, against real time
    polls = sys._getframe(1).f_globals.get("__name__") == "subprocess"  # noqa: SLF001 - as logging and warnings do
    if clock is None or polls:
        real.sleep(seconds)
    else:
        clock.let_work(wait_of(seconds))
        clock.sleep(seconds)


def _birth(born: Callable[[], asyncio.AbstractEventLoop]) -> Callable[[], asyncio.AbstractEventLoop]:
    def new_event_loop() -> asyncio.AbstractEventLoop:
        loop = born()
        clock = current()
        if clock is not None:
            try:
                clock.attach(loop, fresh=True)
            except BaseException:
                loop.close()
                raise
        return loop

    return new_event_loop


def _start() -> Callable[[asyncio.BaseEventLoop], None]:
    original = asyncio.base_events.BaseEventLoop.run_forever

    def run_forever(self: asyncio.BaseEventLoop) -> None:
        clock = current()
        if clock is not None:  # the loop may have been born before, or by other means than asyncio.new_event_loop
            clock.attach(self)
        else:  # or here, to run on another thread
            for other in _in_charge:
                other.detach(self)
        original(self)

    return run_forever


def _run() -> Callable[..., Any]:
    original = asyncio.Runner.run

    def run(self: asyncio.Runner, *args: Any, **kwargs: Any) -> Any:
        clock = current()
        if clock is not None:
            clock.hear_of(self.get_loop())
        return original(self, *args, **kwargs)

    return run


def owners() -> set[int]:
    """The threads that clocks are in charge of."""
    with _lock:
        return {clock.owner for clock in _in_charge}


def _in_thread(original: Callable[..., Any]) -> Callable[..., Any]:
    async def run_sync_in_worker_thread(cls: type, func: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        clock = current()
        if clock is None:
            return await original(cls, func, *args, **kwargs)
        work = clock.outside.begin(asyncio.get_running_loop().is_closed)
        try:
            return await original(cls, work.wrap(func), *args, **kwargs)
        finally:
            work.collect()

    return run_sync_in_worker_thread
