from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
from multiprocessing import active_children

import pytest

from squall.runs.workers import WorkerLost, pool

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


PARENT = """
import os, signal
from squall.runs.workers import WorkerLost, pool
with pool(1, int) as made:
    print(made.submit(os.getpid).result(60), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_process_ends_with_the_one_that_began_it():
    parent = subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    with parent.stdout as said:  # it ends when nobody has it open any more, and the child has it, too
        assert int(said.readline()) != parent.pid
        assert parent.wait(LONG) == -signal.SIGKILL
        assert select.select([said], [], [], LONG)[0] == [said]
        assert said.read() == ""


def ends_by_itself():
    os._exit(7)  # by name, since what measures coverage puts a function in its place that no process can be sent


def test_a_process_that_ends_by_itself_is_told_as_an_error():
    with pytest.raises(WorkerLost, match="a process has ended in the middle of a run"), pool(1, int) as made:
        made.submit(ends_by_itself).result(LONG)
