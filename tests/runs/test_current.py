"""Which run is found from where."""

from __future__ import annotations

import asyncio
import threading

import pytest

import squall
from squall import UsageError
from squall.runs.current import current
from squall.runs.environment import Environment


def test_outside_of_any_run_there_is_none():
    assert current() is None
    with pytest.raises(UsageError, match=r"squall.finally_ needs a run"):
        squall.finally_(print)


def test_a_run_is_found_from_its_threads_and_tasks():
    found = []

    async def task():
        await asyncio.sleep(0)
        found.append(current())

    async def agent():
        await asyncio.gather(task(), asyncio.to_thread(lambda: found.append(current())))

    with Environment() as run:
        thread = threading.Thread(target=lambda: found.append(current()))
        thread.start()
        thread.join()
        asyncio.run(agent())
    assert found == [run, run, run]
    assert current() is None


def test_the_innermost_run_is_found_and_then_the_outer_one_again():
    with Environment() as outer:
        with Environment() as inner:
            assert current() is inner
        assert current() is outer
    assert current() is None


def test_two_threads_have_each_their_own_run():
    gate = threading.Barrier(2)
    found = {}

    def one(name):
        with Environment(name=name) as run:
            gate.wait(10)
            found[name] = current() is run
            gate.wait(10)

    threads = [threading.Thread(target=one, args=(name,)) for name in ("a", "b")]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {"a": True, "b": True}
    assert current() is None


def test_a_context_that_outlived_its_run_finds_none():
    async def agent():
        with Environment():
            straggler = asyncio.create_task(asyncio.sleep(0, current))
        return (await straggler)()

    assert asyncio.run(agent()) is None
