from __future__ import annotations

import asyncio
import concurrent.futures
import functools
import http.server
import queue
import selectors
import socket
import sys
import threading

import pytest

from squall.clock import threads as module
from squall.clock.threads import Threads


def until(truth):
    """Let other threads run until it is true; they are all about to make it so."""
    pause = threading.Event()
    for _ in range(20_000):
        if truth():
            return
        pause.wait(0.001)
    pytest.fail("it never came true")


@pytest.fixture
def threads():
    return Threads()


@pytest.fixture
def start(threads):
    """Starts a function in a thread of the run; what it returns stops it."""
    stops = []

    def start(fn, stop=None):
        thread = threading.Thread(target=fn, daemon=True)
        thread.start()
        threads.born(thread)
        stops.append((thread, stop))
        return thread

    yield start
    for thread, stop in stops:
        if stop is not None:
            stop()
        thread.join(20)
        assert not thread.is_alive()


def idle(threads):
    return threads.at_work() is None


def test_no_thread_is_no_work(threads):
    assert idle(threads)


def test_a_thread_is_at_work_until_it_has_ended(threads, start):
    lock = threading.Lock()
    lock.acquire()
    thread = start(lock.acquire, lock.release)
    assert threads.at_work() == "a thread that runs builtins.lock.acquire" or not idle(threads)
    lock.release()
    thread.join()
    assert idle(threads)
    lock.release()
    lock.acquire()


@pytest.mark.parametrize("kind", [queue.Queue, queue.LifoQueue, queue.PriorityQueue])
def test_a_consumer_is_idle_until_something_is_in_its_queue(threads, start, kind):
    jobs, working, go = kind(), threading.Event(), threading.Lock()
    go.acquire()

    def consume():
        while jobs.get():
            working.set()
            go.acquire()

    start(consume, lambda: jobs.put(0))
    until(lambda: idle(threads))
    jobs.put(1)
    assert threads.at_work() == f"a thread that runs {__name__}.{consume.__qualname__}"
    assert working.wait(20)
    assert not idle(threads)
    go.release()
    until(lambda: idle(threads))


@pytest.mark.parametrize("wait", ["event", "condition", "barrier"])
def test_a_thread_that_waits_for_a_message_is_idle(threads, start, wait):
    event, barrier = threading.Event(), threading.Barrier(2)
    condition = threading.Condition()

    def in_condition():
        with condition:
            condition.wait()

    def notify():
        with condition:
            condition.notify()

    fn, end = {
        "event": (event.wait, event.set),
        "barrier": (barrier.wait, barrier.wait),
        "condition": (in_condition, notify),
    }[wait]
    start(fn, end)
    until(lambda: idle(threads))


@pytest.mark.parametrize("wait", ["result", "wait"])
def test_a_thread_that_waits_for_a_job_is_at_work(threads, start, wait):
    future = concurrent.futures.Future[int]()
    fn = {"result": future.result, "wait": lambda: concurrent.futures.wait([future])}[wait]
    thread = start(fn, lambda: future.set_result(1))
    until(lambda: waits_in(thread, "wait"))
    assert not idle(threads)


@pytest.mark.parametrize("holding", ["itself", "in a tuple"])
def test_a_thread_that_waits_for_the_runs_own_loop_is_idle(threads, start, holding):
    future = concurrent.futures.Future[int]()
    held = future if holding == "itself" else (1, future)

    def ask():
        threads.woke(lambda: held)
        future.result()

    asked = threading.Event()
    thread = start(lambda: asked.wait(20) and ask(), lambda: future.set_result(1))
    asked.set()
    until(lambda: waits_in(thread, "wait") and idle(threads))


def test_a_monitor_with_long_rounds_is_idle(threads, start):
    event = threading.Event()
    start(lambda: event.wait(3000), event.set)
    until(lambda: idle(threads))


def test_short_rounds_are_waited_for_once_and_again_after_the_thread_has_woken_the_loop(threads, start, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE", 1000.0)
    turns: queue.Queue[str] = queue.Queue()
    rounds = threading.Semaphore(0)

    def consume():
        while True:
            rounds.release()
            turn = turns.get(timeout=900)
            if turn == "wake":
                threads.woke(None)
            if turn == "stop":
                return

    thread = start(consume, lambda: turns.put("stop"))
    patience = functools.partial(waits_in_rounds, thread)
    rounds.acquire()
    until(patience)
    assert not idle(threads)
    assert not idle(threads)
    turns.put("go round")
    rounds.acquire()
    until(lambda: idle(threads))
    turns.put("wake")
    rounds.acquire()
    until(patience)
    assert not idle(threads)


def waits_in_rounds(thread):
    return module.waiting_of(sys._current_frames()[thread.ident]) is not None


def test_a_timer_is_at_work_whatever_it_waits_for(threads):
    timer = threading.Timer(3000, print)
    timer.start()
    threads.born(timer)
    assert threads.at_work() == "a thread that runs builtins.print"
    timer.cancel()
    timer.join()
    assert idle(threads)


def test_a_loop_of_a_threads_own_is_idle_until_it_has_something_to_do(threads, start):
    loop = asyncio.new_event_loop()
    thread = start(loop.run_forever)
    until(lambda: idle(threads))
    gone = asyncio.run_coroutine_threadsafe(asyncio.Event().wait(), loop)
    assert not idle(threads)
    gone.cancel()
    until(lambda: idle(threads))
    timers: list[asyncio.TimerHandle] = []
    loop.call_soon_threadsafe(lambda: timers.append(loop.call_later(3000, print)))
    until(lambda: timers)
    assert not idle(threads)
    timers[0].cancel()
    until(lambda: idle(threads))
    loop.call_soon_threadsafe(loop.stop)
    thread.join(20)
    loop.close()


def test_a_server_in_a_thread_is_idle_until_somebody_connects(threads, start):
    with http.server.HTTPServer(("127.0.0.1", 0), http.server.BaseHTTPRequestHandler) as server:
        start(lambda: server.serve_forever(0.01), server.shutdown)
        until(lambda: idle(threads))


def test_a_thread_that_selects_for_its_own_ends_is_at_work(threads, start):
    one, two = socket.socketpair()
    with one, two, selectors.DefaultSelector() as selector:
        selector.register(one, selectors.EVENT_READ)
        thread = start(selector.select)
        until(lambda: waits_in(thread, "select"))
        assert not idle(threads)
        two.send(b"x")
        thread.join(20)


def waits_in(thread, name):
    return sys._current_frames()[thread.ident].f_code.co_name == name


def test_a_thread_from_before_that_waits_for_work_is_at_work_once_it_has_some():
    jobs: queue.Queue[int] = queue.Queue()
    thread = threading.Thread(target=lambda: jobs.get() and jobs.get(), daemon=True)
    thread.start()
    until(lambda: waits_in(thread, "wait"))
    other = Threads()
    other.begin(apart=[thread.ident or 0])
    threads = Threads()
    threads.begin(apart=[])
    assert idle(threads)
    jobs.put(1)
    assert not idle(threads)
    assert idle(other)
    jobs.put(0)
    thread.join(20)
    assert idle(threads)


def test_a_thread_from_before_that_does_anything_else_is_none_of_the_runs_business():
    lock = threading.Lock()
    lock.acquire()
    thread = threading.Thread(target=lock.acquire, daemon=True)
    thread.start()
    threads = Threads()
    threads.begin(apart=[])
    assert idle(threads)
    lock.release()
    thread.join(20)


def test_asyncios_thread_that_waits_for_a_child_is_the_child(threads, start):
    lock = threading.Lock()
    lock.acquire()

    def wait():
        lock.acquire()

    wait.__qualname__ = "ThreadedChildWatcher._do_waitpid"
    start(wait, lock.release)
    assert threads.at_work() == "a child process"
