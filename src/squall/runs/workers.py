"""Processes that run things for another one: an interrupt is that one's to answer, and they end when it has gone.

Knows nothing of what they run.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing.connection import wait
from multiprocessing.context import SpawnContext, SpawnProcess
from threading import Thread
from typing import Any

from squall.errors import SquallError

GONE = 1


class WorkerLost(SquallError):
    """A process has ended in the middle of its work, and the others with it."""


@contextmanager
def pool(jobs: int, begin: Callable[..., object], *args: Any) -> Iterator[ProcessPoolExecutor]:
    """So many processes, each of which calls `begin(*args)` before anything else. Raises WorkerLost.

    A terminal interrupts all of its processes at once: the first one then waits for the runs that are under way, and
    those are whole. One that was killed would leave its pool waiting for work for ever.
    """
    try:
        with ProcessPoolExecutor(jobs, _Context(), _serve, (begin, args)) as made:
            yield made
    except BrokenProcessPool:
        why = "the agent ended it (os._exit, a crash of the interpreter), or the system did (too little memory)"
        lost = f"a process has ended in the middle of a run: {why}; without --jobs it is seen where"
        raise WorkerLost(lost) from None


def _serve(begin: Callable[..., object], args: tuple[Any, ...]) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _hold_interrupts(signal.SIG_UNBLOCK)  # programs that are started from here may have theirs
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent.sentinel,), name="squall-parent", daemon=True).start()
    begin(*args)


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(GONE)


class _Process(SpawnProcess):
    """Born with interrupts held back: it imports for a while before it can say that it ignores them."""

    def start(self) -> None:
        with _held():
            super().start()


class _Context(SpawnContext):
    Process = _Process


@contextmanager
def _held() -> Iterator[None]:
    before = _hold_interrupts(signal.SIG_BLOCK)
    try:
        yield
    finally:
        if signal.SIGINT not in before:
            _hold_interrupts(signal.SIG_UNBLOCK)


def _hold_interrupts(how: int) -> set[signal.Signals | int]:
    if not hasattr(signal, "pthread_sigmask"):  # not on Windows
        return {signal.SIGINT}
    return set(signal.pthread_sigmask(how, {signal.SIGINT}))
