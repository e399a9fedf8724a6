from __future__ import annotations

from functools import partial
from typing import Any

from squall.clock import VirtualClock
from squall.worlds.events.late import Late


def test_those_due_first_land_first_whatever_the_order_they_came_in():
    clock = VirtualClock()
    late = Late(clock)
    landed: list[float] = []
    for seconds in (3, 1, 2, 1):
        late.add(seconds, partial(landed.append, seconds))
    clock.advance(2.5)
    assert landed == [1, 1, 2]
    late.settle()
    assert landed == [1, 1, 2, 3]


def test_settling_moves_the_clock_to_each_ones_time_and_says_that_it_settles():
    clock = VirtualClock()
    late = Late(clock)
    seen: list[tuple[float, bool]] = []
    for seconds in (1, 3, 2):
        late.add(seconds, lambda: seen.append((clock.elapsed(), late.settling)))
    clock.advance(1.5)
    late.settle()
    assert seen == [(1.0, False), (2.0, True), (3.0, True)]
    assert not late.settling


class Eager:
    """A clock whose thread calls back before `call_at` has returned."""

    def elapsed(self):
        return 0.0

    def call_at(self, _elapsed, fn):
        fn()

    def advance(self, amount):
        raise AssertionError("nothing is left to land")


def test_what_a_clocks_thread_calls_at_once_lands_once():
    landed: list[int] = []
    eager: Any = Eager()
    late = Late(eager)
    late.add(0, lambda: landed.append(1))
    assert landed == [1]
    late.settle()
    assert landed == [1]
