"""Whose call it is: in tasks, threads and pools, in runs inside runs, and when a run is over."""

from __future__ import annotations

import asyncio
import contextvars
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from squall.capture.current import capturing, current, unclaimed, within
from squall.trace import Recorder

pytestmark = pytest.mark.usefixtures("alone")


def run(name="r"):
    return capturing(Recorder(f"{name}#0", lambda: 0.0))


def in_thread(fn):
    found = []
    thread = threading.Thread(target=lambda: found.append(fn()))
    thread.start()
    thread.join(timeout=30)
    return found[0]


def test_without_a_run_there_is_none():
    assert current() is None


def test_a_run_is_current_in_its_block_and_its_threads():
    with run() as capture:
        assert current() is capture
        assert in_thread(current) is capture
    assert current() is None
    assert in_thread(current) is None


def test_a_run_inside_a_run_takes_the_calls_of_its_block():
    with run("outer") as outer:
        with run("inner") as inner:
            assert current() is inner
            assert in_thread(current) is inner
        assert current() is outer


def test_threads_of_threads_belong_to_the_run_that_they_came_from():
    with run("outer") as outer:
        inside, go = threading.Event(), threading.Event()
        found = []

        def work():
            inside.set()
            assert go.wait(timeout=30)
            found.append((current(), in_thread(current)))

        thread = threading.Thread(target=work)
        thread.start()
        with run("inner"):
            go.set()
            thread.join(timeout=30)
    assert found == [(outer, outer)]


def test_jobs_of_a_pool_belong_to_the_run_that_they_were_submitted_in():
    with ThreadPoolExecutor(1) as pool:
        for name in ("first", "second"):
            with run(name) as capture:
                assert pool.submit(current).result(timeout=30) is capture
        assert pool.submit(current).result(timeout=30) is None


@pytest.mark.asyncio
async def test_tasks_and_to_thread_follow_their_run():
    async def ask():
        await asyncio.sleep(0)
        return current(), await asyncio.to_thread(current)

    with run("outer") as outer:
        task = asyncio.ensure_future(ask())
        with run("inner") as inner:
            assert list(await asyncio.gather(ask(), ask())) == [(inner, inner)] * 2
            assert await task == (outer, outer)


def test_what_comes_when_its_run_is_over_belongs_to_nobody():
    with run("first") as first:
        pass
    with run("second"), within(first):
        assert current() is None


def test_what_serves_many_runs_belongs_to_the_one_that_goes_on():
    with run("first"), unclaimed():
        context = contextvars.copy_context()
    with run("second") as second:
        assert context.run(current) is second
