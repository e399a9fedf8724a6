"""A loop at its limit, or one that nothing can wake: what comes out, and what goes on."""

from __future__ import annotations

import asyncio
import os
import threading
import time

import anyio
import anyio.to_thread
import pytest
from anyio._core._eventloop import get_async_backend

from squall.clock import VirtualClock
from squall.errors import LimitReached

HOUR = 3600


def test_the_limit_comes_out_of_the_loop_and_no_except_exception_holds_it(run, clock, no_waits):
    cleaned = []

    async def agent():
        try:
            while True:
                try:
                    await asyncio.wait_for(asyncio.sleep(HOUR * 10), 60)
                except Exception:
                    await asyncio.sleep(1)
        finally:
            await asyncio.wait_for(asyncio.sleep(2), 5)  # a clean-up with a timeout of its own
            cleaned.append(clock.elapsed())

    with pytest.raises(LimitReached, match="3600 virtual seconds"):
        run(agent())
    assert cleaned == [3602.0]


def test_a_limited_loop_can_be_used_for_the_teardown_and_its_tasks_have_been_told(clock, no_waits):
    async def agent():
        try:
            await asyncio.sleep(2 * HOUR)
        except asyncio.CancelledError:
            told.append(clock.elapsed())
            raise

    told: list[float] = []
    with asyncio.Runner() as runner:
        with pytest.raises(LimitReached):
            runner.run(agent())
        runner.run(asyncio.sleep(5))
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
            runner.run(asyncio.sleep(2 * HOUR))
        runner.run(stop(task))
        assert cancelled == [0]


def test_a_clean_up_that_hangs_is_ended_too(clock, no_waits):
    async def agent():
        try:
            await asyncio.sleep(2 * HOUR)
        finally:
            await asyncio.sleep(HOUR)

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


def test_a_loop_that_nothing_can_wake_has_reached_the_limit(run, clock, no_waits):
    async def agent():
        await asyncio.gather(asyncio.Event().wait(), asyncio.sleep(10))

    with pytest.raises(LimitReached, match="neither time nor anybody outside would ever wake it"):
        run(agent())
    assert clock.elapsed() >= 3600.0


@pytest.mark.parametrize("in_thread", [asyncio.to_thread, anyio.to_thread.run_sync])
def test_a_pool_without_a_job_does_not_wake_a_loop(clock, in_thread):
    async def agent():
        await in_thread(int)
        await asyncio.Event().wait()

    with pytest.raises(LimitReached, match="ever wake it"):
        asyncio.run(agent())


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
            await asyncio.sleep(5)
            os.write(write, b"x")
            await waiting
        finally:
            loop.remove_reader(read)
            os.close(read)
            os.close(write)

    asyncio.run(main())
    assert clock.elapsed() == 5.0


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
