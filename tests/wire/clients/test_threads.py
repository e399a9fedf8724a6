from __future__ import annotations

import threading

from squall.clock import VirtualClock, WallClock
from squall.wire.clients.threads import NOTE, ToldOfThreads


def in_a_thread(fn):
    thread = threading.Thread(target=fn)
    thread.start()
    thread.join()


def test_the_runs_own_thread_waits_in_virtual_time_and_nothing_is_said():
    clock = VirtualClock()
    with clock.in_charge():
        ToldOfThreads(clock).sleep(600)
    assert (clock.elapsed(), clock.notes) == (600, [])


def test_another_thread_really_waits_and_the_run_says_so():
    clock = VirtualClock(wall_cap=0.01)
    with clock.in_charge():
        in_a_thread(lambda: ToldOfThreads(clock).sleep(600, capped=True))
    assert (clock.elapsed(), clock.notes) == (0, [NOTE])


def test_nobody_is_told_of_no_wait_nor_on_wall_time():
    clock, wall = VirtualClock(), WallClock(wall_cap=0.01)
    with clock.in_charge():
        in_a_thread(lambda: ToldOfThreads(clock).sleep(0))
    in_a_thread(lambda: ToldOfThreads(wall).sleep(600, capped=True))
    assert (clock.notes, wall.notes) == ([], [])


def test_all_else_is_the_runs_clock():
    clock = VirtualClock()
    clock.advance(5)
    assert ToldOfThreads(clock).elapsed() == 5
    assert ToldOfThreads(clock).mode == "virtual"
