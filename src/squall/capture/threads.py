"""Threads, and jobs of a pool, belong to the run that they were started in. Nothing else goes with them.

A thread carries a mark; a pool's threads outlive runs, so that there each job carries its own.
"""

from __future__ import annotations

import threading
from functools import wraps
from types import ModuleType
from typing import Any

from squall.capture.current import ATTRIBUTE, Capture, current, within
from squall.capture.patching import Patches


def patch(patches: Patches) -> None:
    """Until the patches are undone."""
    start: Any = threading.Thread.start

    @wraps(start)
    def marked(self: threading.Thread) -> None:
        found = current()
        if found is not None:
            self.__dict__[ATTRIBUTE] = found
        start(self)

    patches.replace(threading.Thread, "start", marked)
    patches.with_module("concurrent.futures.thread", _pool)  # which takes a while to import


def _pool(patches: Patches, module: ModuleType) -> None:
    submit: Any = module.ThreadPoolExecutor.submit

    @wraps(submit)
    def carried(self: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
        found = current()
        if found is None:
            return submit(self, fn, *args, **kwargs)
        return submit(self, _job, found, fn, *args, **kwargs)

    patches.replace(module.ThreadPoolExecutor, "submit", carried)


def _job(capture: Capture, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
    with within(capture):
        return fn(*args, **kwargs)
