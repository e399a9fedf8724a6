"""Processes that run things for another one: an interrupt is that one's to answer, and they end when it has gone.

Knows nothing of what they run.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
from multiprocessing.connection import wait
from threading import Thread

GONE = 1


def serve_parent() -> None:
    """To be called by a process of a pool before anything else.

    A terminal interrupts all of its processes at once: the first one then waits for the runs that are under way, and
    those are whole. One that was killed would leave its pool waiting for work for ever.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()
    if parent is not None:
        Thread(target=_end_with, args=(parent.sentinel,), name="squall-parent", daemon=True).start()


def _end_with(sentinel: int) -> None:
    wait([sentinel])
    os._exit(GONE)
