"""Attempts that go on without their callers, and loops inside of loops."""

from __future__ import annotations

import asyncio
import threading

import pytest

from squall.call import Outcome
from squall.interpose.promises import Promises, to_its_end


@pytest.fixture
def landed():
    return []


@pytest.fixture
def attempt(landed):
    """Makes an attempt that takes a few turns of its loop and then lands under a name."""

    def make(name, turns=3):
        async def run():
            for _ in range(turns):
                await asyncio.sleep(0)
            landed.append(name)
            return Outcome("value", name)

        return run

    return make


def test_an_attempt_that_ended_is_not_made_again(attempt, landed):
    promises = Promises()

    async def agent():
        return await promises.begin(attempt("a"), asyncio.get_running_loop())

    assert asyncio.run(agent()).value == "a"
    promises.keep()
    assert landed == ["a"]


def test_attempts_that_their_loop_cut_short_are_made_again_in_order(attempt, landed):
    promises = Promises()

    async def agent():
        for name in "abc":
            promises.begin(attempt(name), asyncio.get_running_loop())  # type: ignore[unused-awaitable]  # the point

    asyncio.run(agent())
    assert landed == []
    promises.keep()
    assert landed == ["a", "b", "c"]
    promises.keep()
    assert landed == ["a", "b", "c"]


def test_attempts_that_are_under_way_are_taken_over(attempt, landed):
    promises = Promises()

    async def agent():
        task = promises.begin(attempt("a"), asyncio.get_running_loop())
        await asyncio.sleep(0)
        promises.keep()
        assert landed == ["a"]
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(agent())
    promises.keep()
    assert landed == ["a"]


def test_an_attempt_that_has_just_ended_is_not_made_twice(attempt, landed):
    promises = Promises()

    async def agent():
        task = promises.begin(attempt("a", turns=0), asyncio.get_running_loop())
        await asyncio.wait([task])
        promises._open[task] = attempt("again")  # as before its callback has run
        promises.keep()

    asyncio.run(agent())
    assert landed == ["a"]


def test_a_loop_that_was_closed_without_ending_its_tasks_loses_nothing(attempt, landed):
    promises = Promises()
    loop = asyncio.new_event_loop()
    task = promises.begin(attempt("a"), loop)
    loop.run_until_complete(asyncio.sleep(0))
    task.cancel()
    loop.run_until_complete(asyncio.wait([task]))
    loop.close()
    promises.keep()
    assert landed == ["a"]


def test_a_coroutine_runs_to_its_end_with_and_without_a_loop_around_it(attempt):
    assert to_its_end(attempt("a")()).value == "a"

    async def around():
        me, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert to_its_end(attempt("b")()).value == "b"
        with pytest.raises(ZeroDivisionError):
            to_its_end(broken())
        assert asyncio.current_task() is me
        assert asyncio.get_running_loop() is loop
        async with asyncio.timeout(10):
            await asyncio.sleep(0)
        return await asyncio.to_thread(threading.get_ident)

    assert asyncio.run(around()) != threading.get_ident()


async def broken():
    1 / 0
