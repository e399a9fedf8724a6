from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import os
import socket
import subprocess
import sys
import threading
import time
from typing import Any

import anyio
import anyio.to_thread
import pytest
from anyio._core._eventloop import get_async_backend

from squall.clock import VirtualClock, patches, real
from squall.clock import loop as loops
from squall.errors import LimitReached, UsageError

HOUR = 3600


@pytest.fixture
def no_waits(waits):
    yield
    assert not waits


async def nap(seconds):
    await asyncio.sleep(seconds)


def run_on_a_new_loop(coroutine):
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(coroutine)
    finally:
        if asyncio.all_tasks(loop):  # they have been told to end, and are given the time to
            loop.run_until_complete(nap(10))
        loop.close()


def run_in_a_runner(coroutine):
    with asyncio.Runner() as runner:
        return runner.run(coroutine)


def run_on_a_loop_of_ones_own_making(coroutine):
    with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
        return runner.run(coroutine)


def run_by_anyio(coroutine):
    async def main():
        return await coroutine

    return anyio.run(main)


RUNNERS = [asyncio.run, run_on_a_new_loop, run_in_a_runner, run_on_a_loop_of_ones_own_making, run_by_anyio]
each_runner = pytest.mark.parametrize("run", RUNNERS, ids=lambda run: run.__name__)


# waiting costs nothing


@each_runner
def test_every_way_to_run_a_coroutine_in_a_sync_test_is_virtual(run, clock, no_waits):
    run(nap(60))
    assert clock.elapsed() == 60.0


def test_loops_one_after_another_share_the_clock(clock, no_waits):
    asyncio.run(nap(60))
    time.sleep(60)
    asyncio.run(nap(60))
    assert clock.elapsed() == 180.0


@pytest.mark.asyncio
async def test_a_running_loop_is_attached_when_the_context_begins(no_waits):
    with VirtualClock().in_charge() as clock:
        await nap(60)
        assert clock.elapsed() == 60.0


@pytest.mark.asyncio
async def test_a_loop_that_began_before_keeps_exact_deadlines():
    with VirtualClock().in_charge() as clock:
        for _ in range(50):
            await nap(0.137)
            with anyio.move_on_after(60):
                await anyio.sleep(HOUR)
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(0.7):
                    await nap(HOUR)
        assert clock.elapsed() == 3041.85  # 50 times 60.837


def test_timeouts_of_asyncio_fire_exactly(clock, no_waits):
    async def main():
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(nap(HOUR), 60)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1):
                await nap(HOUR)
        async with asyncio.TaskGroup() as group:
            group.create_task(nap(5))
            group.create_task(nap(9.9))
        done, pending = await asyncio.wait([asyncio.ensure_future(nap(s)) for s in (1, 30)], timeout=10)
        assert (len(done), len(pending)) == (1, 1)

    asyncio.run(main())
    assert clock.elapsed() == 60 + 0.1 + 9.9 + 10


def test_deadlines_of_anyio_fire_exactly(clock, no_waits):
    async def main():
        for _ in range(20):
            with anyio.move_on_after(60.000001) as scope:
                await anyio.sleep(HOUR)
            assert scope.cancelled_caught
        async with anyio.create_task_group() as group:
            group.start_soon(anyio.sleep, 7)
            with pytest.raises(TimeoutError), anyio.fail_after(3):
                await anyio.sleep_forever()

    anyio.run(main)
    assert clock.elapsed() == pytest.approx(20 * 60.000001 + 7, abs=1e-9)


def test_what_is_ready_goes_before_a_jump(clock):
    async def main():
        server = await asyncio.start_server(echo, "127.0.0.1", 0)
        async with server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            for _ in range(20):
                writer.write(b"x" * 100_000)
                assert len(await asyncio.wait_for(reader.readexactly(100_000), 0.001)) == 100_000
            assert clock.elapsed() == 0.0
            writer.close()
            await nap(1)

    asyncio.run(main())


async def echo(reader, writer):
    while data := await reader.read(65536):
        writer.write(data)
        await writer.drain()
    writer.close()


def test_a_server_in_the_loop_that_never_answers_costs_no_wall_time(clock, no_waits):
    async def main():
        async with await asyncio.start_server(say_nothing, "127.0.0.1", 0) as server:
            reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
            with pytest.raises(TimeoutError):
                await asyncio.wait_for(reader.read(), 60)
            assert clock.elapsed() == 60.0
            writer.close()
            await nap(1)

    asyncio.run(main())


async def say_nothing(reader, writer):
    await reader.read()
    writer.close()


@pytest.mark.parametrize("raise_exceptions", [True, False])
def test_the_mcp_clients_own_timeout_fires_at_its_second(clock, no_waits, raise_exceptions):
    from mcp import Client
    from mcp.server import MCPServer

    server = MCPServer("shop")

    @server.tool()
    async def refund() -> str:
        await clock.asleep(HOUR / 2)
        return "late"

    async def main():
        async with Client(server, read_timeout_seconds=60, raise_exceptions=raise_exceptions) as client:
            began = clock.elapsed()
            with pytest.raises(Exception, match=r"[Tt]imed out"):
                await client.call_tool("refund", {})
            assert clock.elapsed() - began == 60.0

    asyncio.run(main())


def test_a_wait_of_the_clock_lets_other_tasks_have_their_turn(clock, no_waits):
    seen = []

    async def note(seconds):
        await clock.asleep(seconds)
        seen.append((seconds, clock.elapsed()))

    async def main():
        await asyncio.gather(note(30), note(10), note(20))

    asyncio.run(main())
    assert seen == [(10, 10.0), (20, 20.0), (30, 30.0)]


# the clock's own timers


def test_a_jump_stops_at_the_clocks_own_timers(clock, no_waits):
    seen = []

    async def main():
        clock.call_at(10, lambda: seen.append(clock.elapsed()))
        clock.call_at(5, lambda: seen.append(clock.elapsed()))
        await nap(30)

    asyncio.run(main())
    assert seen == [5.0, 10.0]
    assert clock.elapsed() == 30.0


def test_a_loop_looks_again_after_an_own_timer(clock, no_waits):
    async def main():
        arrived = asyncio.Event()
        clock.call_at(10, arrived.set)
        await arrived.wait()
        assert clock.elapsed() == 10.0
        clock.call_at(1, arrived.clear)  # its time has gone: the next look fires it
        await nap(0.001)
        assert not arrived.is_set()

    asyncio.run(main())


def test_an_own_timer_that_raises_comes_out_of_the_loop_and_loses_no_other(clock):
    seen = []

    def fail():
        raise KeyError("lost row")

    async def main():
        clock.call_at(5, fail)
        clock.call_at(5, lambda: seen.append(clock.elapsed()))
        await nap(30)

    with pytest.raises(KeyError, match="lost row"):
        asyncio.run(main())
    assert seen == [5.0]


# the limit


@each_runner
def test_the_limit_comes_out_of_the_loop_and_no_except_exception_holds_it(run, clock, no_waits):
    cleaned = []

    async def agent():
        try:
            while True:
                try:
                    await asyncio.wait_for(nap(HOUR * 10), 60)
                except Exception:
                    await nap(1)
        finally:
            await asyncio.wait_for(nap(2), 5)  # a clean-up with a timeout of its own
            cleaned.append(clock.elapsed())

    with pytest.raises(LimitReached, match="3600 virtual seconds"):
        run(agent())
    assert cleaned == [3602.0]


def test_a_limited_loop_can_be_used_for_the_teardown_and_its_tasks_have_been_told(clock, no_waits):
    async def agent():
        try:
            await nap(2 * HOUR)
        except asyncio.CancelledError:
            told.append(clock.elapsed())
            raise

    told: list[float] = []
    with asyncio.Runner() as runner:
        with pytest.raises(LimitReached):
            runner.run(agent())
        runner.run(nap(5))
        assert told == [3600.0]
        assert clock.elapsed() == 3605.0


def test_tasks_from_before_the_run_are_not_told(no_waits):
    with asyncio.Runner() as runner:
        cancelled = []

        async def fixture():
            return asyncio.create_task(background())

        async def background():
            await asyncio.Event().wait()

        async def stop(task):
            cancelled.append(task.cancelled() or task.cancelling())
            task.cancel()

        task = runner.run(fixture())
        runner.run(asyncio.sleep(0))
        with VirtualClock().in_charge(), pytest.raises(LimitReached):
            runner.run(nap(2 * HOUR))
        runner.run(stop(task))
        assert cancelled == [0]


def test_a_clean_up_that_hangs_is_ended_too(clock, no_waits):
    async def agent():
        try:
            await nap(2 * HOUR)
        finally:
            await nap(HOUR)

    with pytest.raises(LimitReached):
        asyncio.run(agent())
    assert clock.elapsed() == 3660.0


def test_the_limit_passes_through_anyios_pytest_runner(clock, no_waits):
    cleaned = []

    async def fixture():
        await anyio.sleep(10)
        yield "value"
        await anyio.sleep(10)
        cleaned.append(clock.elapsed())

    async def agent(value):
        assert value == "value"
        await anyio.sleep(2 * HOUR)

    async def another():
        await anyio.sleep(10)

    with get_async_backend("asyncio").create_test_runner({}) as runner:
        for value in runner.run_asyncgen_fixture(fixture, {}):
            with pytest.raises(LimitReached):
                runner.run_test(agent, {"value": value})
            runner.run_test(another, {})
    assert clock.elapsed() >= 3610.0


@pytest.mark.asyncio
async def test_the_limit_in_a_sync_wait_within_a_loop_is_the_tasks_own(clock):
    async def agent():
        time.sleep(2 * HOUR)  # noqa: ASYNC251 - agents do

    with pytest.raises(LimitReached):
        await asyncio.create_task(agent())


def test_a_wait_without_end_of_the_clock_ends_at_the_limit(clock, no_waits):
    with pytest.raises(LimitReached):
        asyncio.run(clock.asleep(float("inf")))
    assert clock.elapsed() == 3600.0


@each_runner
def test_a_loop_that_nothing_can_wake_has_reached_the_limit(run, clock, no_waits):
    async def agent():
        await asyncio.gather(asyncio.Event().wait(), nap(10))

    with pytest.raises(LimitReached, match="neither time nor anybody outside would ever wake it"):
        run(agent())
    assert clock.elapsed() >= 3600.0


def test_a_loop_that_a_thread_may_wake_waits_for_it(clock):
    async def main():
        told, loop = asyncio.Event(), asyncio.get_running_loop()
        thread = threading.Thread(target=lambda: loop.call_soon_threadsafe(told.set))
        loop.call_soon(thread.start)
        await told.wait()
        thread.join()

    asyncio.run(main())
    assert clock.elapsed() == 0.0


def test_a_loop_that_hears_somebody_waits_for_him(clock):
    async def main():
        read, write = os.pipe()
        heard = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(read, heard.set)
        try:
            waiting = asyncio.create_task(heard.wait())
            await nap(5)
            os.write(write, b"x")
            await waiting
        finally:
            loop.remove_reader(read)
            os.close(read)
            os.close(write)

    asyncio.run(main())
    assert clock.elapsed() == 5.0


# guards: while something outside is under way the clock stands, and no wait is longer than on the wall


class Gate:
    """A job in a thread that ends when the loop has really waited for it a few times, or when it is told to."""

    def __init__(self, monkeypatch):
        self.real = 0.0
        self.begun = threading.Event()
        self.opened = threading.Event()
        monkeypatch.setattr(real, "monotonic", lambda: self.real)

    def job(self):
        self.begun.set()
        assert self.opened.wait(20)
        return "done"

    def open_after(self, monkeypatch, polls, seconds_each=0.0):
        import selectors

        poll, left = selectors.DefaultSelector.select, [polls]

        def select(selector, timeout=None):
            if timeout is not None and timeout > 0:
                left[0] -= 1
                self.real += seconds_each if self.begun.is_set() else 0.0
                if left[0] == 0:
                    self.opened.set()
                elif left[0] > 0:
                    timeout = 0
            return poll(selector, timeout)

        monkeypatch.setattr(selectors.DefaultSelector, "select", select)


@pytest.fixture
def gate(monkeypatch):
    gate = Gate(monkeypatch)
    yield gate
    gate.opened.set()


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
        await nap(60)
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
        await nap(5)
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
        await nap(60)

    asyncio.run(main())
    assert clock.elapsed() == 60.0


def test_a_job_that_cannot_be_handed_over_is_no_guard(clock, no_waits):
    async def main():
        pool = concurrent.futures.ThreadPoolExecutor(1)
        pool.shutdown()
        with pytest.raises(RuntimeError):
            await asyncio.get_running_loop().run_in_executor(pool, print)
        await nap(60)

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
        await nap(60)
        assert clock.elapsed() == before + 60

    asyncio.run(main())


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
        await nap(1000)
        assert clock.elapsed() == 1060.0
        assert gate.real == 60.0

    asyncio.run(main())


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
    asyncio.run(nap(60))
    assert clock.elapsed() == 60.0
    assert not waits


# attaching and letting go


class Foreign:
    """A loop such as uvloop's: it answers to asyncio's interface and shares none of its code."""

    def is_running(self):
        return False


def test_a_loop_that_is_not_asyncios_is_refused_and_told_the_way_out(clock):
    foreign: Any = Foreign()
    with pytest.raises(UsageError) as caught:
        clock.attach(foreign)
    assert f"and this one is a {__name__}.Foreign" in str(caught.value)
    assert 'clock("wall")' in str(caught.value)


@pytest.fixture
def foreign(monkeypatch):
    monkeypatch.setattr(loops, "can_be_virtual", lambda loop: False)


@pytest.mark.asyncio
async def test_no_context_begins_within_a_loop_that_cannot_be_virtual(foreign):
    with pytest.raises(UsageError, match="needs one of asyncio's selector loops"), VirtualClock().in_charge():
        pytest.fail("never reached")
    assert patches.current() is None


@pytest.mark.asyncio
async def test_a_wait_in_a_loop_that_cannot_be_virtual_is_real_and_bounded_if_nobody_stated_it(
    clock_before, monkeypatch
):
    slept = []

    async def sleep(seconds):
        slept.append(seconds)

    monkeypatch.setattr(real, "asleep", sleep)
    monkeypatch.setattr(loops, "can_be_virtual", lambda loop: False)
    await clock_before.asleep(7)
    await clock_before.asleep(7, capped=True)
    assert slept == [7, 2.0]
    assert clock_before.elapsed() == 0.0


@pytest.fixture
def clock_before(monkeypatch):
    """A clock that missed the birth and the start of the loop that runs."""
    clock = VirtualClock()
    monkeypatch.setattr(patches, "_in_charge", [clock])
    monkeypatch.setattr(clock, "_charges", 1)
    return clock


def test_a_loop_is_attached_only_under_the_clock_that_is_in_charge():
    loop = asyncio.new_event_loop()
    for refused in (VirtualClock(), VirtualClock()):
        with VirtualClock().in_charge(), pytest.raises(UsageError, match=r"under clock\.in_charge\(\)"):
            refused.attach(loop)
    assert "time" not in vars(loop)
    loop.close()


def test_a_loop_that_runs_on_another_thread_is_refused(clock):
    running: list[Any] = []
    begun = threading.Event()

    async def serving():
        stop = asyncio.Event()
        running.extend((asyncio.get_running_loop(), stop))
        begun.set()
        await stop.wait()

    thread = threading.Thread(target=lambda: asyncio.run(serving()))
    thread.start()
    assert begun.wait(20)
    loop, stop = running
    try:
        with pytest.raises(UsageError, match="on the thread that the clock is in charge of"):
            clock.attach(loop)
    finally:
        loop.call_soon_threadsafe(stop.set)
        thread.join()


def test_a_loop_born_here_that_runs_on_another_thread_is_a_wall_loop(clock, waits):
    loop = asyncio.new_event_loop()
    assert "time" in vars(loop)
    thread = threading.Thread(target=lambda: loop.run_until_complete(nap(0.001)))
    thread.start()
    thread.join()
    assert "time" not in vars(loop)
    assert clock.elapsed() == 0.0
    assert waits
    loop.close()


def test_attaching_twice_is_attaching_once(clock):
    loop = asyncio.new_event_loop()
    select = vars(vars(loop)["_selector"])["select"]
    clock.attach(loop)
    assert vars(vars(loop)["_selector"])["select"] == select
    loop.close()


def test_a_released_loop_is_as_it_was():
    loop = asyncio.new_event_loop()
    before, selector_before = dict(vars(loop)), dict(vars(vars(loop)["_selector"]))
    with VirtualClock().in_charge() as clock:
        clock.attach(loop)
        assert vars(loop) != before
    assert vars(loop) == before
    assert vars(vars(loop)["_selector"]) == selector_before
    loop.close()


def test_the_time_of_a_loop_that_outlives_its_clock_goes_on_from_where_it_stood(waits):
    loop = asyncio.new_event_loop()
    times = [loop.time()]
    for _ in range(3):
        with VirtualClock().in_charge() as clock:
            loop.run_until_complete(nap(60))
            assert clock.elapsed() == 60.0
            times.append(loop.time())
        times.append(loop.time())
    assert times == sorted(times)
    assert 180 <= times[-1] - times[0] < 240
    assert not waits
    loop.run_until_complete(nap(0.001))
    assert waits
    assert set(vars(loop)) & {"run_in_executor", "subprocess_exec", "subprocess_shell"} == set()
    assert not isinstance(vars(loop)["time"].time, type(vars(loop)["time"]))  # one shift, however many clocks
    loop.close()


def test_the_inner_clock_wins_and_the_outer_one_has_the_loop_back(no_waits):
    loop = asyncio.new_event_loop()
    with VirtualClock().in_charge() as outer:
        loop.run_until_complete(nap(60))
        with VirtualClock().in_charge() as inner:
            loop.run_until_complete(nap(7))
            assert (outer.elapsed(), inner.elapsed()) == (60.0, 7.0)
        time_between = loop.time()
        loop.run_until_complete(nap(60))
        assert (outer.elapsed(), inner.elapsed()) == (120.0, 7.0)
        assert loop.time() >= time_between + 60
        last = loop.time()
    assert loop.time() >= last
    loop.close()


@pytest.mark.asyncio
async def test_the_outer_clocks_wait_within_an_inner_one_is_on_the_inner_loop(no_waits):
    with VirtualClock().in_charge() as outer, VirtualClock().in_charge() as inner:
        await outer.asleep(5)
        assert (outer.elapsed(), inner.elapsed()) == (0.0, 5.0)


@pytest.mark.asyncio
async def test_a_context_that_ends_within_a_running_loop_leaves_it_on_wall_time(waits):
    with VirtualClock().in_charge():
        await nap(60)
    assert not waits
    await nap(0.001)
    assert waits


@pytest.mark.anyio
async def test_an_anyio_test_is_virtual(no_waits):
    with VirtualClock().in_charge() as clock:
        with anyio.move_on_after(60):
            await anyio.sleep(HOUR)
        assert clock.elapsed() == 60.0


@pytest.fixture
def anyio_backend():
    return "asyncio"


SUITE = """
import asyncio, pytest, pytest_asyncio, anyio
from squall.clock import VirtualClock

@pytest.fixture
def clock():
    with VirtualClock().in_charge() as clock:
        yield clock

@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def server():
    task = asyncio.create_task(asyncio.Event().wait())
    yield task
    assert not task.done()
    task.cancel()

@pytest_asyncio.fixture(loop_scope="module")
async def slow(clock):
    began = clock.elapsed()
    await asyncio.sleep(40)
    yield began
    await asyncio.sleep(40)

told = []

async def hang():
    try:
        await asyncio.sleep(9999)
    finally:
        told.append(1)

@pytest.mark.asyncio(loop_scope="module")
async def test_hangs(server, slow, clock):
    await hang()

@pytest.mark.asyncio(loop_scope="module")
async def test_goes_on(server, slow, clock):
    assert told == [1]
    await asyncio.sleep(60)
    assert clock.elapsed() == 100

@pytest.mark.asyncio
async def test_own_loop_hangs(clock):
    await hang()

@pytest.fixture(scope="module")
def anyio_backend():
    return "asyncio"

class TestAnyio:
    @pytest.fixture
    async def slow(self, clock):
        await anyio.sleep(40)
        yield
        await anyio.sleep(40)

    @pytest.mark.anyio
    async def test_hangs(self, clock, slow):
        await hang()

    @pytest.mark.anyio
    async def test_goes_on(self, clock, slow):
        with anyio.move_on_after(60):
            await anyio.sleep(3000)
        assert clock.elapsed() == 100
"""


def test_the_limit_ends_a_test_and_no_other_under_both_plugins(pytester):
    pytester.makeini("[pytest]\nasyncio_default_fixture_loop_scope = function\nfilterwarnings = error\n")
    pytester.makepyfile(SUITE)
    result = pytester.runpytest_inprocess("-p", "no:cacheprovider")
    result.assert_outcomes(passed=2, failed=3)
    result.stdout.fnmatch_lines(["*LimitReached: the run has waited 3600 virtual seconds, which is its limit*"])
