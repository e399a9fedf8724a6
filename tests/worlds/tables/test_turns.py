"""Threads in a world: a handler that waits for its own thread comes to an end, and agents wait for one another."""

from __future__ import annotations

import threading

import pytest

from squall.call import CallRef
from squall.errors import UsageError
from squall.worlds.tables import turns

JOINS = """
import threading

def act(world, clock):
    told = []

    def work():
        try:
            world.{what}
        except Exception as error:
            told.append(error)

    thread = threading.Thread(target=work, name="helper")
    thread.start()
    thread.join()
    world.events_told = told
    return len(world.refunds)

def refund(world, clock):
    return world.refunds.insert(amount=1)
"""


@pytest.mark.parametrize(
    "what",
    [
        "refunds.insert(amount=1)",
        "refunds.insert(id='x')",
        "orders.update('1', total=5)",
        "orders.delete('1')",
        "call('refund', {})",
    ],
)
def test_a_handler_that_waits_for_a_thread_that_writes_is_told_instead_of_waiting_for_ever(handled, monkeypatch, what):
    monkeypatch.setattr(turns, "PATIENCE", 0.01)
    world = handled(JOINS.replace("{what}", what))
    with pytest.raises(UsageError, match="the thread 'helper' cannot work in this world now: a handler in the thread"):
        world.call("act", {})
    assert world.revision == 0
    (told,) = world.events_told
    assert "A transaction belongs to its thread" in str(told)
    assert world.call("refund", {})["id"] == "1"


def test_a_thread_that_only_reads_does_not_wait(handled):
    world = handled(JOINS.replace("{what}", "orders.get('1')"))
    assert world.call("act", {}) == 0
    assert world.events_told == []


def test_agents_in_other_threads_wait_for_their_turn_however_long_it_takes(handled, monkeypatch):
    monkeypatch.setattr(turns, "PATIENCE", 0.0)
    world = handled("""
        def slow(world, clock):
            world.entered.set()
            world.go.wait(10)
            return world.refunds.insert(amount=1)

        def refund(world, clock):
            return world.refunds.insert(amount=2)
    """)
    world.entered, world.go = threading.Event(), threading.Event()
    done = []

    def agent(number, tool):
        done.append(world.call(tool, {}, ref=CallRef(number, tool, {}))["amount"])

    first = threading.Thread(target=agent, args=(1, "slow"))
    first.start()
    assert world.entered.wait(10)
    second = threading.Thread(target=agent, args=(2, "refund"))
    second.start()
    with pytest.raises(UsageError):
        world.refunds.insert(amount=3)
    world.go.set()
    first.join(10)
    second.join(10)
    assert sorted(done) == [1.0, 2.0]


def test_what_one_thread_was_refused_is_forgotten_with_the_turn():
    turn = turns.Turns()
    with turn.taken(patient=True):
        turn.check()
        with turn.taken(patient=False):
            turn.check()
    turn.check()
