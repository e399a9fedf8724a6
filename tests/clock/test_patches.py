from __future__ import annotations

import asyncio
import importlib
import subprocess
import sys
import threading
import time

import pytest

from squall.clock import VirtualClock, patches, real
from squall.clock import loop as loops
from squall.errors import UsageError

BACKEND = importlib.import_module("anyio._backends._asyncio").AsyncIOBackend


def places():
    return [
        time.sleep,
        asyncio.new_event_loop,
        asyncio.events.new_event_loop,
        asyncio.base_events.BaseEventLoop.run_forever,
        BACKEND.__dict__["run_sync_in_worker_thread"],
    ]


def test_everything_replaced_is_put_back_exactly():
    before = places()
    with VirtualClock().in_charge():
        asyncio.run(asyncio.sleep(1))
        during = places()
    assert places() == before
    assert not any(one is another for one, another in zip(before, during, strict=True))


def test_everything_is_put_back_after_an_error_too():
    before = places()
    with pytest.raises(KeyError), VirtualClock().in_charge():
        raise KeyError
    assert places() == before
    assert patches.current() is None


def test_the_innermost_clock_is_in_charge(waits):
    with VirtualClock().in_charge() as outer:
        time.sleep(1)
        with VirtualClock().in_charge() as inner:
            assert patches.current() is inner
            time.sleep(10)
            with outer.in_charge():
                time.sleep(100)
            time.sleep(10)
        assert patches.current() is outer
        time.sleep(1)
    assert (outer.elapsed(), inner.elapsed()) == (102.0, 20.0)
    assert not waits


def test_a_clock_may_be_in_charge_twice(waits):
    with VirtualClock().in_charge() as clock:
        with clock.in_charge():
            time.sleep(1)
        time.sleep(1)
        asyncio.run(asyncio.sleep(1))
    assert clock.elapsed() == 3.0
    assert not waits


def test_contexts_that_end_out_of_order_leave_the_other_in_charge(waits):
    before = places()
    one, two = VirtualClock(), VirtualClock()
    first, second = one.in_charge(), two.in_charge()
    first.__enter__()
    second.__enter__()
    first.__exit__(None, None, None)
    time.sleep(5)
    second.__exit__(None, None, None)
    assert (one.elapsed(), two.elapsed()) == (0.0, 5.0)
    assert places() == before
    assert not waits


def test_time_sleep_is_real_on_other_threads(waits):
    with VirtualClock().in_charge() as clock:
        thread = threading.Thread(target=time.sleep, args=(7,))
        thread.start()
        thread.join()
    assert waits == [7]
    assert clock.elapsed() == 0.0


def test_every_thread_may_have_a_clock_of_its_own(waits):
    elapsed = []

    def run():
        with VirtualClock().in_charge() as clock:
            time.sleep(7)
            asyncio.run(asyncio.sleep(7))
            elapsed.append(clock.elapsed())

    with VirtualClock().in_charge() as outer:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        time.sleep(1)
    assert elapsed == [14.0]
    assert outer.elapsed() == 1.0
    assert not waits


def test_time_sleep_refuses_what_it_always_refused(clock):
    for nonsense in (-1, float("nan")):
        with pytest.raises(ValueError, match="non-negative"):
            time.sleep(nonsense)
    with pytest.raises(TypeError):
        time.sleep("1")  # type: ignore[arg-type]  # the wrong type is the point


def test_waiting_for_a_child_is_real(clock, monkeypatch):
    slept = []
    sleep = real.sleep

    def noted(seconds):
        slept.append(seconds)
        sleep(seconds)

    monkeypatch.setattr(real, "sleep", noted)
    with subprocess.Popen([sys.executable, "-Sc", "input()"], stdin=subprocess.PIPE) as child:
        with pytest.raises(subprocess.TimeoutExpired):
            child.wait(0.002)
        child.communicate(b"\n")
    assert slept
    assert clock.elapsed() == 0.0


def test_a_loop_on_a_worker_thread_is_a_wall_loop(clock, waits):
    async def main():
        await asyncio.to_thread(asyncio.run, asyncio.sleep(0.001))

    asyncio.run(main())
    assert waits
    assert clock.elapsed() == 0.0


def test_a_loop_that_cannot_be_virtual_is_closed_and_refused(clock, monkeypatch):
    born = []

    def can_be_virtual(loop):
        born.append(loop)
        return False

    monkeypatch.setattr(loops, "can_be_virtual", can_be_virtual)
    with pytest.raises(UsageError, match='clock\\("wall"\\)'):
        asyncio.new_event_loop()
    assert born[0].is_closed()


LATE = """
import asyncio, sys, threading
from squall.clock import VirtualClock
assert "anyio" not in sys.modules
opened = threading.Event()

async def main(clock):
    import anyio, anyio.to_thread
    asyncio.get_running_loop().call_later(0.0, lambda: threading.Timer(0.02, opened.set).start())
    with anyio.move_on_after(60) as scope:
        assert await anyio.to_thread.run_sync(opened.wait, 20, abandon_on_cancel=True)
    assert not scope.cancelled_caught
    print(clock.elapsed())

with VirtualClock().in_charge() as clock:
    asyncio.run(main(clock))
"""


def test_anyio_may_be_imported_by_the_test_itself():
    done = subprocess.run([sys.executable, "-c", LATE], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("0.0\n", "")


WITHOUT = """
import asyncio, sys
sys.modules["anyio"] = None
from squall.clock import VirtualClock
with VirtualClock().in_charge() as clock:
    asyncio.run(asyncio.sleep(60))
    print(clock.elapsed())
"""


def test_a_machine_without_anyio_has_virtual_time_too():
    done = subprocess.run([sys.executable, "-c", WITHOUT], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("60.0\n", "")


def test_anyios_threads_of_other_threads_loops_are_left_alone(clock, waits):
    import anyio
    import anyio.to_thread

    def serve():
        async def main():
            return await anyio.to_thread.run_sync(threading.get_ident)

        anyio.run(main)

    async def main():
        await anyio.sleep(1)  # anyio's threads are counted from here on
        thread = threading.Thread(target=serve)
        thread.start()
        thread.join()

    asyncio.run(main())
    assert not clock.outside.pending()
