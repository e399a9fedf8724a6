"""Work of every kind is waited for, however it is begun; and what idles in the background costs nothing."""

from __future__ import annotations

import asyncio
import concurrent.futures
import multiprocessing.process
import os
import queue
import signal
import subprocess
import sys
import threading
import time

import pytest

from squall.clock import VirtualClock, real

DEADLINE = 100_000


@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        yield pool


@pytest.fixture
def background():
    """A loop on a thread of its own, from before the run: how sync code is bridged to async code."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    yield loop
    loop.call_soon_threadsafe(loop.stop)
    thread.join(20)
    loop.close()


def test_a_job_handed_to_a_pool_is_waited_for_and_costs_no_virtual_time(pool, clock, gate, monkeypatch):
    gate.open_after(monkeypatch, polls=3, seconds_each=1.0)

    async def main():
        assert await asyncio.wait_for(asyncio.wrap_future(pool.submit(gate.job)), DEADLINE) == "done"

    asyncio.run(main())
    assert clock.elapsed() == 0.0
    assert clock.notes == []


def test_a_job_whose_future_nobody_waits_for_is_waited_for(pool, clock, gate, monkeypatch):
    gate.open_after(monkeypatch, polls=3)

    async def main():
        loop, told = asyncio.get_running_loop(), asyncio.Event()

        def job():
            gate.job()
            loop.call_soon_threadsafe(told.set)

        pool.submit(job)
        await asyncio.wait_for(told.wait(), DEADLINE)

    asyncio.run(main())
    pool.shutdown()  # the job has told its news a moment before its thread is done with it
    assert not clock.outside.pending()


def test_a_coroutine_on_another_threads_loop_is_waited_for(background, clock, gate, monkeypatch):
    gate.open_after(monkeypatch, polls=3, seconds_each=1.0)

    async def elsewhere():
        return gate.job()

    async def main():
        future = asyncio.run_coroutine_threadsafe(elsewhere(), background)
        assert await asyncio.wait_for(asyncio.wrap_future(future), DEADLINE) == "done"

    asyncio.run(main())
    assert clock.elapsed() == 0.0
    assert clock.notes == []


def test_a_thread_is_waited_for_and_the_clock_goes_along(clock, gate, monkeypatch):
    gate.open_after(monkeypatch, polls=3, seconds_each=1.0)

    async def main():
        loop, told = asyncio.get_running_loop(), asyncio.Event()

        def work():
            gate.job()
            loop.call_soon_threadsafe(told.set)

        threading.Thread(target=work).start()
        await asyncio.wait_for(told.wait(), DEADLINE)
        return f"{__name__}.{work.__qualname__}"

    name = asyncio.run(main())
    assert 3.0 <= clock.elapsed() < DEADLINE
    assert clock.notes == [f"the clock went along with real time, because of a thread that runs {name}"]


def test_a_thread_of_a_thread_is_waited_for(clock, gate, monkeypatch):
    gate.open_after(monkeypatch, polls=3)

    async def main():
        loop, told = asyncio.get_running_loop(), asyncio.Event()

        def work():
            gate.job()
            loop.call_soon_threadsafe(told.set)

        first = threading.Thread(target=lambda: threading.Thread(target=work).start())
        first.start()
        first.join()
        await asyncio.wait_for(told.wait(), DEADLINE)

    asyncio.run(main())


def test_no_wait_is_longer_than_on_the_wall_because_of_a_thread(clock, gate, monkeypatch):
    gate.open_after(monkeypatch, polls=1_000_000, seconds_each=1.0)

    async def main():
        threading.Thread(target=gate.job).start()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.Event().wait(), 60)
        assert (clock.elapsed(), gate.real) == (60.0, 60.0)
        gate.opened.set()

    asyncio.run(main())


@pytest.fixture
def frozen(monkeypatch):
    """No real time goes by, so that a guarded wait goes on until somebody comes."""
    monkeypatch.setattr(real, "monotonic", lambda: 0.0)


def test_a_pipe_to_a_child_is_listened_to(clock, frozen):
    script = "print(input())"

    async def main():
        loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
        with subprocess.Popen(  # noqa: ASYNC220 - agents do
            [sys.executable, "-Sc", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        ) as child:
            assert child.stdin is not None
            await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), child.stdout)
            child.stdin.write(b"hello\n")
            child.stdin.close()
            assert await asyncio.wait_for(reader.read(), DEADLINE) == b"hello\n"

    asyncio.run(main())


@pytest.mark.parametrize("sender", ["timer", "alarm"])
def test_a_signal_that_is_on_its_way_is_waited_for(clock, frozen, sender):
    async def main():
        loop, told = asyncio.get_running_loop(), asyncio.Event()
        loop.add_signal_handler(signal.SIGALRM, told.set)
        if sender == "timer":
            threading.Timer(0.005, os.kill, (os.getpid(), signal.SIGALRM)).start()
        else:
            signal.setitimer(signal.ITIMER_REAL, 0.005)
        try:
            await asyncio.wait_for(told.wait(), DEADLINE)
        finally:
            loop.remove_signal_handler(signal.SIGALRM)

    asyncio.run(main())
    assert clock.elapsed() == 0.0


def test_an_alarm_that_the_loop_does_not_listen_for_is_not_waited_for(clock, no_waits):
    before = signal.signal(signal.SIGALRM, lambda *_: None)
    signal.setitimer(signal.ITIMER_REAL, 60)
    try:
        asyncio.run(asyncio.sleep(DEADLINE / 100))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert clock.elapsed() == DEADLINE / 100


def settled(clock):
    """Let the threads of a run come to rest."""
    pause = threading.Event()
    for _ in range(20_000):
        if clock.outside.at_work() is None and not clock.outside.running():
            return
        pause.wait(0.001)
    pytest.fail("a thread is at work still")


def test_what_idles_in_the_background_costs_nothing(waits):
    jobs, stop, loop = queue.Queue[object](), threading.Event(), asyncio.new_event_loop()

    def monitor():
        while not stop.wait(3000):
            pytest.fail("never")

    with VirtualClock().in_charge() as clock, concurrent.futures.ThreadPoolExecutor(1) as pool:
        background = [threading.Thread(target=each) for each in (jobs.get, monitor, loop.run_forever)]
        for thread in background:
            thread.start()
        pool.submit(int).result()
        settled(clock)
        del waits[:]
        asyncio.run(asyncio.sleep(1000))
        time.sleep(1000)
        assert not waits
        assert clock.elapsed() == 2000.0
        assert clock.notes == []
        jobs.put(None)
        stop.set()
        loop.call_soon_threadsafe(loop.stop)
        for thread in background:
            thread.join(20)
    loop.close()


def test_a_sync_wait_does_not_overtake_others_either(clock, gate, monkeypatch):
    slept = []

    def sleep(seconds):
        slept.append(seconds)
        if len(slept) == 3:
            gate.opened.set()
            thread.join(20)

    thread = threading.Thread(target=gate.job)
    thread.start()
    monkeypatch.setattr(real, "sleep", sleep)
    time.sleep(1000)
    assert slept == [0.005] * 3
    assert clock.elapsed() == 1000.0
    assert clock.notes == []


def test_a_sync_wait_is_no_longer_than_on_the_wall(clock, gate, monkeypatch):
    def sleep(seconds):
        gate.real += seconds

    thread = threading.Thread(target=gate.job)
    thread.start()
    monkeypatch.setattr(real, "sleep", sleep)
    time.sleep(0.1)
    assert clock.elapsed() == 0.1
    assert gate.real == pytest.approx(0.1)
    assert len(clock.notes) == 1
    gate.opened.set()
    thread.join()


def test_a_thread_that_cannot_be_started_is_as_it_was(clock):
    thread = threading.Thread(target=int)
    thread.start()
    thread.join()
    with pytest.raises(RuntimeError):
        thread.start()
    assert clock.outside.at_work() is None


def test_threads_that_no_run_has_started_are_none_of_the_runs_business(waits):
    held, begin, begun = threading.Lock(), threading.Lock(), threading.Event()
    held.acquire()
    begin.acquire()

    def work():
        begun.set()
        held.acquire()

    def from_before():
        begin.acquire()
        threading.Thread(target=work).start()

    thread = threading.Thread(target=from_before)
    thread.start()
    with VirtualClock().in_charge() as clock:
        begin.release()
        thread.join()
        assert begun.wait(20)
        asyncio.run(asyncio.sleep(60))
        assert clock.elapsed() == 60.0
    assert not waits
    held.release()


def test_multiprocessing_keeps_the_list_that_is_looked_at():
    assert isinstance(multiprocessing.process._children, set)  # type: ignore[attr-defined]  # it has no public name
