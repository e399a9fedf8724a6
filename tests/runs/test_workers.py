from __future__ import annotations

import os
import signal
from multiprocessing import active_children

import pytest

from squall.runs.workers import pool

pytestmark = pytest.mark.skipif(not hasattr(signal, "pthread_sigmask"), reason="Windows has no such signals")
LONG = 60


def test_an_interrupt_ends_no_process_not_even_while_it_begins():
    before = active_children()
    with pool(1, int) as made:
        first = made.submit(os.getpid)
        (child,) = (each for each in active_children() if each not in before)
        os.kill(child.pid or 0, signal.SIGINT)
        assert first.result(LONG) == child.pid
        os.kill(child.pid or 0, signal.SIGINT)
        assert made.submit(os.getpid).result(LONG) == child.pid


def test_interrupts_are_held_back_from_nobody_else():
    with pool(1, int) as made:
        assert signal.SIGINT not in made.submit(signal.pthread_sigmask, signal.SIG_BLOCK, ()).result(LONG)
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_each_process_begins_as_it_is_told():
    with pool(1, os.umask, 0o27) as made:
        assert made.submit(os.umask, 0o27).result(LONG) == 0o27
