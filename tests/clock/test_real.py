from __future__ import annotations

import asyncio
import io
import sys
import threading
import time

import anyio
import pytest

from squall.clock import VirtualClock, real


def test_there_is_no_running_loop_where_asyncio_was_never_imported(monkeypatch):
    monkeypatch.delitem(sys.modules, "asyncio")
    assert real.running_loop() is None


def test_the_running_loop_is_asyncios(monkeypatch):
    assert real.running_loop() is None

    async def main():
        assert real.running_loop() is asyncio.get_running_loop()

    asyncio.run(main())


@pytest.fixture
def foreign(monkeypatch):
    """An async library that is not asyncio: anyio waits in it."""
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    monkeypatch.setattr(anyio, "sleep", sleep)
    return slept


def finish(coroutine):
    with pytest.raises(StopIteration):
        coroutine.send(None)


def test_another_library_waits_by_anyio(foreign):
    finish(real.asleep(7))
    assert foreign == [7]


def test_a_virtual_clock_really_waits_in_another_library_and_bounds_what_nobody_stated(foreign, clock):
    finish(clock.asleep(7))
    finish(clock.asleep(7, capped=True))
    assert foreign == [7, 2.0]
    assert clock.elapsed() == 0.0


def test_a_clock_in_charge_of_nothing_moves_in_another_library_too(foreign):
    clock = VirtualClock()
    finish(clock.asleep(7))
    assert foreign == [0]
    assert clock.elapsed() == 7.0


def test_the_person_is_told_on_stderr_whatever_has_replaced_it(monkeypatch):
    first = io.StringIO()
    monkeypatch.setattr(sys, "__stderr__", first)
    real.tell("Look here.")
    assert first.getvalue() == "\nLook here.\n"


def test_nobody_is_told_where_there_is_no_stderr(monkeypatch):
    monkeypatch.setattr(sys, "__stderr__", None)
    real.tell("Look here.")


@pytest.mark.asyncio
async def test_the_running_task_is_known():
    assert real.running_task() is asyncio.current_task()


def test_no_task_runs_without_a_loop():
    assert real.running_task() is None


def test_a_thread_that_computes_has_worked_and_one_that_waits_has_not():
    waiting = threading.Event()
    thread = threading.Thread(target=waiting.wait)
    thread.start()
    assert thread.ident is not None
    try:
        me, before, idle = threading.get_ident(), real.worked(threading.get_ident()), real.worked(thread.ident)
        sum(range(200_000))
        assert real.worked(me) > before
        assert real.worked(thread.ident) - idle < real.worked(me) - before
    finally:
        waiting.set()
        thread.join()


def test_where_the_system_does_not_tell_nobody_has_worked(monkeypatch):
    monkeypatch.delattr(time, "pthread_getcpuclockid", raising=False)
    assert real.worked(threading.get_ident()) == 0.0
