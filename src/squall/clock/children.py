"""The child processes that were born in a run and still live.

Looks without reaping: whoever has started a child must hear of its end. Knows no clock and no loop.
"""

from __future__ import annotations

import os
import sys
import threading
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import subprocess


class Children:
    """Those of one run: `subprocess.Popen` (asyncio's too) tells of each; multiprocessing keeps a list of its own."""

    def __init__(self) -> None:
        self._children: list[subprocess.Popen[Any]] = []
        self._before: set[Any] = set()

    def begin(self) -> None:
        """The run begins: those there are do not count."""
        self._before = set(_processes())

    def born(self, child: subprocess.Popen[Any]) -> None:
        """A child was born."""
        self._children.append(child)

    def live(self) -> bool:
        """Whether any of them lives."""
        if self._children:
            self._children = [child for child in self._children if child.returncode is None and lives(child.pid)]
        if self._children:
            return True
        born = [process for process in _processes() if process not in self._before]
        workers = _workers() if born else set()
        return any(lives(process.pid) for process in born if process.pid not in workers)


def lives(pid: int | None) -> bool:
    """Whether a child of this process has not ended yet, be it reaped or not."""
    if pid is None or not hasattr(os, "waitid"):  # macOS before Python 3.13: until it has been reaped
        return pid is not None
    try:
        return os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None
    except ChildProcessError:
        return False


def _processes() -> tuple[Any, ...]:
    module = sys.modules.get("multiprocessing.process")
    return tuple(getattr(module, "_children", ()))


def _workers() -> set[int]:
    """Those of ProcessPoolExecutors, whose jobs are counted: each has a thread that looks after them."""
    managers = [thread for thread in threading.enumerate() if type(thread).__module__ == "concurrent.futures.process"]
    return {pid for manager in managers for pid in tuple(getattr(manager, "processes", ()))}
