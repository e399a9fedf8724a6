"""How a loop comes onto a clock, and off again."""

from __future__ import annotations

import asyncio
import threading
from typing import Any

import pytest

from squall.clock import VirtualClock, patches, real
from squall.clock import loop as loops
from squall.errors import UsageError


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
    loop = type(asyncio.get_running_loop()).__module__
    note = f"waits took real time, because the event loop cannot be virtual: it is a {loop} loop"
    assert clock_before.notes == [note]


@pytest.mark.asyncio
async def test_a_wait_in_a_loop_of_another_thread_is_no_news(monkeypatch):
    monkeypatch.setattr(loops, "can_be_virtual", lambda loop: False)
    clock = VirtualClock()
    context = clock.in_charge()
    await asyncio.to_thread(context.__enter__)
    await clock.asleep(0.001)
    assert clock.notes == []
    await asyncio.to_thread(context.__exit__, None, None, None)


def test_a_wait_in_another_library_than_asyncio_is_noted(clock, monkeypatch):
    async def sleep(seconds):
        """Stands in for trio's."""

    monkeypatch.setattr(real, "asleep", sleep)
    with pytest.raises(StopIteration):
        clock.asleep(7).send(None)
    assert clock.notes == [
        "waits took real time, because the event loop cannot be virtual: it is one of another library than asyncio"
    ]


def test_a_runner_of_a_loop_that_cannot_be_virtual_is_noted_though_nothing_waits(monkeypatch):
    monkeypatch.setattr(asyncio.Runner, "run", lambda self, main: main)
    foreign: Any = Foreign
    ran: Any = "ran"
    with VirtualClock().in_charge() as clock:
        with asyncio.Runner(loop_factory=asyncio.SelectorEventLoop) as runner:
            assert runner.run(ran) == "ran"
        assert clock.notes == []
        assert asyncio.Runner(loop_factory=foreign).run(ran) == "ran"
        assert clock.notes == [
            f"waits took real time, because the event loop cannot be virtual: it is a {__name__} loop"
        ]
    assert asyncio.Runner(loop_factory=foreign).run(ran) == "ran"


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
    thread = threading.Thread(target=lambda: loop.run_until_complete(asyncio.sleep(0.001)))
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
            loop.run_until_complete(asyncio.sleep(60))
            assert clock.elapsed() == 60.0
            times.append(loop.time())
        times.append(loop.time())
    assert times == sorted(times)
    assert 180 <= times[-1] - times[0] < 240
    assert not waits
    loop.run_until_complete(asyncio.sleep(0.001))
    assert waits
    assert set(vars(loop)) & {"run_in_executor", "subprocess_exec", "subprocess_shell"} == set()
    assert not isinstance(vars(loop)["time"].time, type(vars(loop)["time"]))  # one shift, however many clocks
    loop.close()


def test_the_inner_clock_wins_and_the_outer_one_has_the_loop_back(no_waits):
    loop = asyncio.new_event_loop()
    with VirtualClock().in_charge() as outer:
        loop.run_until_complete(asyncio.sleep(60))
        with VirtualClock().in_charge() as inner:
            loop.run_until_complete(asyncio.sleep(7))
            assert (outer.elapsed(), inner.elapsed()) == (60.0, 7.0)
        time_between = loop.time()
        loop.run_until_complete(asyncio.sleep(60))
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
        await asyncio.sleep(60)
    assert not waits
    await asyncio.sleep(0.001)
    assert waits


def test_clocks_that_leave_a_loop_in_the_wrong_order_leave_it_as_it_was(waits):
    loop = asyncio.new_event_loop()
    before, selector_before = set(vars(loop)), dict(vars(vars(loop)["_selector"]))
    contexts = [VirtualClock().in_charge() for _ in range(3)]
    for context in contexts:
        context.__enter__().attach(loop)
    for order, context in enumerate(contexts):
        loop.run_until_complete(asyncio.sleep(60))
        assert not waits, order
        context.__exit__(None, None, None)
    assert set(vars(loop)) - before <= {"time"}  # which goes on from where it stood
    assert vars(vars(loop)["_selector"]) == selector_before
    loop.run_until_complete(asyncio.sleep(0.001))
    assert waits
    loop.close()


async def in_a_run(seconds):
    with VirtualClock().in_charge() as clock:
        await asyncio.sleep(seconds)
        return clock.elapsed()


@pytest.mark.asyncio
async def test_runs_of_two_tasks_in_one_loop_may_not_overlap(waits):
    first = asyncio.create_task(in_a_run(1))
    second = asyncio.create_task(in_a_run(3))
    with pytest.raises(UsageError, match="two runs at once in one event loop") as caught:
        await second
    assert "share one run" in str(caught.value)
    assert await first == 1.0
    assert patches.current() is None
    await asyncio.sleep(0.001)
    assert waits


@pytest.mark.asyncio
async def test_runs_of_tasks_one_after_another_are_welcome(no_waits):
    assert [await asyncio.create_task(in_a_run(seconds)) for seconds in (1, 3)] == [1.0, 3.0]


@pytest.mark.asyncio
async def test_a_run_within_one_that_a_finished_task_or_none_has_begun_is_welcome(no_waits):
    async def fixture():
        context = VirtualClock().in_charge()
        context.__enter__()
        return context

    context = await asyncio.create_task(fixture())
    assert await in_a_run(3) == 3.0
    assert await asyncio.create_task(in_a_run(1)) == 1.0
    context.__exit__(None, None, None)


def test_a_run_within_one_that_began_before_the_loop_is_welcome(clock, no_waits):
    async def main():
        return await in_a_run(3)

    assert asyncio.run(main()) == 3.0


@pytest.mark.asyncio
async def test_a_clock_may_be_in_charge_again_in_a_task_of_its_run(no_waits):
    async def again(clock):
        with clock.in_charge():
            await asyncio.sleep(1)

    with VirtualClock().in_charge() as clock:
        await asyncio.gather(again(clock), again(clock))
        assert clock.elapsed() == 1.0
