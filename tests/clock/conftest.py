from __future__ import annotations

import asyncio
import selectors
import threading

import anyio
import pytest

from squall.clock import VirtualClock, real


@pytest.fixture
def clock():
    with VirtualClock().in_charge() as clock:
        yield clock


@pytest.fixture
def waits(monkeypatch):
    """The real waits of event loops, in seconds (None: until something is ready), and of `sleep`, which is skipped."""
    seen = []
    poll = selectors.DefaultSelector.select

    def select(self, timeout=None):
        if timeout is None or timeout > 0:
            seen.append(timeout)
        return poll(self, timeout)

    monkeypatch.setattr(selectors.DefaultSelector, "select", select)
    monkeypatch.setattr(real, "sleep", seen.append)
    return seen


@pytest.fixture
def no_waits(waits):
    yield
    assert not waits


class Door:
    """Is waited for as work is: a thread before it does not look idle, as one that waits for an event does."""

    def __init__(self):
        self._lock = threading.Lock()
        self._lock.acquire()

    def set(self):
        if self._lock.locked():
            self._lock.release()

    def wait(self, timeout):
        opened = self._lock.acquire(timeout=timeout)
        if opened:
            self._lock.release()
        return opened


class Gate:
    """A job in a thread that ends when the loop has really waited for it a few times, or when it is told to."""

    def __init__(self, monkeypatch):
        self.real = 0.0
        self.begun = threading.Event()
        self.opened = Door()
        monkeypatch.setattr(real, "monotonic", lambda: self.real)

    def job(self):
        self.begun.set()
        assert self.opened.wait(20)
        return "done"

    def open_after(self, monkeypatch, polls, seconds_each=0.0):
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


def run_on_a_new_loop(coroutine):
    loop = asyncio.new_event_loop()
    try:
        return loop.run_until_complete(coroutine)
    finally:
        if asyncio.all_tasks(loop):  # they have been told to end, and are given the time to
            loop.run_until_complete(asyncio.sleep(10))
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


@pytest.fixture(params=RUNNERS, ids=lambda run: run.__name__)
def run(request):
    """The ways to run a coroutine in a sync test."""
    return request.param
