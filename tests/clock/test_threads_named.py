"""What a thread is called, and which never wake an agent."""

from __future__ import annotations

import functools
import threading

import pytest

from squall.clock.threads import may_wake, origin


def named(module_name, qualname="serve"):
    def fn():
        pytest.fail("never called")

    fn.__module__, fn.__qualname__ = module_name, qualname
    return fn


@pytest.mark.parametrize(
    "thread",
    [
        threading.Thread(target=named("opentelemetry.sdk.trace.export")),
        threading.Thread(target=named("tqdm._monitor")),
        threading.Thread(target=named("agents.tracing.processors", "BatchTraceProcessor._run")),
        threading.Timer(60, named("pytest_timeout")),
        threading.Thread(target=named("concurrent.futures.thread", "_worker")),
        threading.Thread(target=named("squall.wire.loopback")),
        threading.Thread(target=named("asyncio.base_events", "BaseEventLoop._do_shutdown")),
        type("WorkerThread", (threading.Thread,), {"__module__": "anyio._backends._asyncio"})(),
    ],
    ids=origin,
)
def test_housekeepers_and_workers_of_pools_wake_nobody(thread):
    assert not may_wake(thread)


@pytest.mark.parametrize("name", ["opentelemetry_agent", "agent.tqdm", "squally", "asyncio.base_events"])
def test_anything_else_may_wake_the_loop(name):
    assert may_wake(threading.Thread(target=named(name)))


def test_a_thread_is_called_by_what_it_runs():
    class Worker(threading.Thread):
        """A thread that says itself what it runs."""

    class Job:
        """What can be called and has no name of its own."""

        def __call__(self):
            pytest.fail("never called")

    here = test_a_thread_is_called_by_what_it_runs.__qualname__
    assert origin(threading.Thread(target=functools.partial(functools.partial(named, 1), 2))) == f"{__name__}.named"
    assert origin(Worker()) == f"{__name__}.{here}.<locals>.Worker"
    assert origin(threading.Thread(target=Job())) == f"{__name__}.{here}.<locals>.Job"
    assert origin(threading.Timer(1, named)) == f"{__name__}.named"
