"""While something outside is under way the clock stands, and no wait is longer than on the wall."""

from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import socket
import subprocess
import sys
import threading

import anyio
import anyio.to_thread
import pytest

from squall.clock import real


def to_a_limited_thread(job):
    return anyio.to_thread.run_sync(job, limiter=anyio.CapacityLimiter(1), abandon_on_cancel=True)


def to_an_executor(job):
    async def main():
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            return await asyncio.get_running_loop().run_in_executor(pool, job)

    return main()


threads = pytest.mark.parametrize(
    "in_thread",
    [
        asyncio.to_thread,
        anyio.to_thread.run_sync,
        functools.partial(anyio.to_thread.run_sync, abandon_on_cancel=True),
        to_a_limited_thread,
        to_an_executor,
    ],
    ids=["asyncio.to_thread", "anyio.to_thread", "abandonable", "limiter", "executor"],
)


@threads
def test_a_worker_thread_is_waited_for_and_costs_no_virtual_time(clock, gate, monkeypatch, in_thread):
    gate.open_after(monkeypatch, polls=20, seconds_each=0.005)

    async def main():
        assert await asyncio.wait_for(in_thread(gate.job), 60) == "done"

    asyncio.run(main())
    assert clock.elapsed() == 0.0


def test_a_deadline_over_a_thread_that_does_not_end_fires_when_it_would_on_the_wall(clock, gate, monkeypatch):
    gate.open_after(monkeypatch, polls=1_000_000, seconds_each=1.0)

    async def main():
        job = asyncio.create_task(asyncio.to_thread(gate.job))
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(asyncio.shield(job), 60)
        assert clock.elapsed() == 60.0
        assert gate.real == 60.0
        gate.opened.set()
        await job
        await asyncio.sleep(60)
        assert clock.elapsed() == 120.0

    asyncio.run(main())


@pytest.mark.parametrize(
    "in_thread", [asyncio.to_thread, functools.partial(anyio.to_thread.run_sync, abandon_on_cancel=True)]
)
def test_a_thread_that_nobody_waits_for_any_more_is_still_a_guard(clock, gate, monkeypatch, in_thread):
    gate.open_after(monkeypatch, polls=1_000_000, seconds_each=1.0)

    async def main():
        with anyio.move_on_after(5):
            await in_thread(gate.job)
        assert (clock.elapsed(), gate.real) == (5.0, 5.0)
        await asyncio.sleep(5)
        assert (clock.elapsed(), gate.real) == (10.0, 10.0)
        gate.opened.set()

    asyncio.run(main())


def test_what_a_running_thread_sends_moves_the_clock_by_what_was_waited(clock, gate, monkeypatch):
    gate.open_after(monkeypatch, polls=3, seconds_each=1.0)

    async def main():
        loop, told, go = asyncio.get_running_loop(), asyncio.Event(), threading.Event()

        def job():
            gate.job()
            loop.call_soon_threadsafe(told.set)
            assert go.wait(20)

        work = asyncio.create_task(asyncio.to_thread(job))
        async with asyncio.timeout(10_000):
            await told.wait()
        assert clock.elapsed() >= 3.0
        go.set()
        await work

    asyncio.run(main())


def test_a_job_that_is_cancelled_before_it_begins_is_no_guard(clock, gate):
    async def main():
        loop = asyncio.get_running_loop()
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            first = loop.run_in_executor(pool, gate.job)
            second = loop.run_in_executor(pool, gate.job)
            assert second.cancel()
            gate.opened.set()
            assert await first == "done"
        assert not clock.outside.pending()
        await asyncio.sleep(60)

    asyncio.run(main())
    assert clock.elapsed() == 60.0


def test_a_job_that_cannot_be_handed_over_is_no_guard(clock, no_waits):
    async def main():
        pool = concurrent.futures.ThreadPoolExecutor(1)
        pool.shutdown()
        with pytest.raises(RuntimeError):
            await asyncio.get_running_loop().run_in_executor(pool, print)
        await asyncio.sleep(60)

    asyncio.run(main())
    assert clock.elapsed() == 60.0


async def start(how):
    script = "input()"
    if how == "exec":
        return await asyncio.create_subprocess_exec(sys.executable, "-Sc", script, stdin=subprocess.PIPE)
    return await asyncio.create_subprocess_shell(f"exec {sys.executable} -Sc '{script}'", stdin=subprocess.PIPE)


@pytest.mark.parametrize("how", ["exec", "shell"])
def test_a_child_process_means_wall_time_while_it_lives(clock, monkeypatch, how):
    async def main():
        child = await start(how)
        assert clock.elapsed() < 30
        frozen = [0.0]
        monkeypatch.setattr(real, "monotonic", lambda: frozen[0])
        waiting = asyncio.create_task(asyncio.wait_for(child.wait(), 100_000))
        child.stdin.write(b"\n")
        assert await waiting == 0
        before = clock.elapsed()
        await asyncio.sleep(60)
        assert clock.elapsed() == before + 60

    asyncio.run(main())
    assert set(clock.notes) <= {"the clock went along with real time, because of a child process"}


@pytest.fixture
def silent_server():
    """A server outside every loop that takes connections and answers nothing until it is told to."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield listener


def test_a_server_outside_means_wall_time_while_connected(clock, silent_server, gate, monkeypatch):
    gate.begun.set()
    gate.open_after(monkeypatch, polls=1_000_000, seconds_each=1.0)

    async def main():
        reader, writer = await asyncio.open_connection(*silent_server.getsockname())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(reader.read(1), 60)
        assert (clock.elapsed(), gate.real) == (60.0, 60.0)
        connection, _ = silent_server.accept()
        with connection:
            connection.sendall(b"x")
            assert await reader.read(1) == b"x"
        writer.close()
        await writer.wait_closed()
        await asyncio.sleep(1000)
        assert clock.elapsed() == 1060.0
        assert gate.real == 60.0

    asyncio.run(main())
    host, port = silent_server.getsockname()
    assert clock.notes == [f"the clock went along with real time, because of a connection to {host}:{port}"]


def test_an_answer_from_outside_moves_the_clock_by_what_was_waited(clock, silent_server, gate, monkeypatch):
    gate.open_after(monkeypatch, polls=4, seconds_each=1.0)

    async def main():
        reader, writer = await asyncio.open_connection(*silent_server.getsockname())
        connection, _ = silent_server.accept()

        def answer():
            gate.job()
            connection.sendall(b"x")

        thread = threading.Thread(target=answer)
        thread.start()
        assert await asyncio.wait_for(reader.read(1), 10_000) == b"x"
        thread.join()
        assert clock.elapsed() >= 4.0
        connection.close()
        writer.close()

    asyncio.run(main())


def test_a_job_left_behind_by_a_closed_loop_is_no_guard_for_the_next_one(clock, waits):
    release = threading.Event()

    async def main():
        pool = concurrent.futures.ThreadPoolExecutor(1)
        asyncio.get_running_loop().run_in_executor(pool, release.wait, 20).add_done_callback(print)
        return pool

    pool = asyncio.run(main())
    release.set()
    pool.shutdown()
    del waits[:]
    asyncio.run(asyncio.sleep(60))
    assert clock.elapsed() == 60.0
    assert not waits


def test_a_client_that_stopped_reading_before_the_loop_was_idle_is_inside_all_the_same(clock, no_waits):
    async def main():
        ours, theirs = [], []
        server = await asyncio.start_server(lambda *ends: theirs.append(ends), "127.0.0.1", 0)
        async with server:
            for _ in range(3):
                _, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
                assert isinstance(writer.transport, asyncio.Transport)
                writer.transport.pause_reading()  # as clients do that keep a connection for later
                ours.append(writer)
            await asyncio.sleep(60)
            for writer in (*ours, *(writer for _, writer in theirs)):
                writer.close()
                await writer.wait_closed()

    asyncio.run(main())
    assert clock.elapsed() == 60.0
