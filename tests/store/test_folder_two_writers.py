"""Two writers on one folder, in any order of their steps: every run is whole, and nobody loses one.

A step is a call of the system that sees or changes a name: each of two threads waits before each of them until it is
its turn.
"""

from __future__ import annotations

import shutil
import sys
import threading
from collections import deque

from hypothesis import given, settings
from hypothesis import strategies as st

from squall.store import Runs
from squall.store.whole import verify_run
from squall.store.workspace import LOCK, PREFIX

STEPS = {"open", "mkdir", "rename", "unlink", "rmdir", "scandir", "flock", "stat", "lstat"}
PATIENCE = 20  # seconds until a test that hangs fails


class Turns:
    """Lets threads go step by step, one at a time, in the order given, and as they like when that is used up."""

    def __init__(self, order):
        self.order, self.condition = deque(order), threading.Condition()
        self.gone, self.errors, self.going = set(), [], None

    def before_each_step(self, me):
        def hook(_, event, called):
            if event == "c_call" and called.__name__ in STEPS:
                self.wait(me)

        return hook

    def wait(self, me):
        """The step before has ended; begin the next one when it is due."""
        with self.condition:
            self.rest(me)
            if self.turn() is None:
                return
            assert self.condition.wait_for(lambda: self.going is None and self.turn() in {me, None}, PATIENCE)
            self.going = me
            if self.order:
                self.order.popleft()

    def rest(self, me):
        if self.going == me:
            self.going = None
        self.condition.notify_all()

    def turn(self):
        while self.order and self.order[0] in self.gone:
            self.order.popleft()
        return self.order[0] if self.order else None

    def follow(self, me, work):
        sys.setprofile(self.before_each_step(me))
        try:
            work()
        except BaseException as error:
            self.errors.append(error)
        finally:
            sys.setprofile(None)
            with self.condition:
                self.gone.add(me)
                self.rest(me)

    def run(self, *works):
        threads = [threading.Thread(target=self.follow, args=item) for item in enumerate(works)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert self.errors == []


# Runs of steps of one writer, rather than coins: a change of writers is what may find something.
ORDERS = st.lists(st.tuples(st.integers(0, 1), st.integers(1, 25)), max_size=10).map(
    lambda pieces: [who for who, steps in pieces for _ in range(steps)]
)


def leave_behind(folder):
    """What a killed process leaves."""
    dead = folder / f"{PREFIX}dead"
    (dead / "1-timeout-baseline-00").mkdir(parents=True)
    (dead / LOCK).touch()


@settings(max_examples=60, deadline=None)
@given(order=ORDERS, together=st.integers(1, 3))
def test_any_interleaving_of_two_writers_keeps_every_run_whole(tmp_path_factory, made, order, together):
    folder = tmp_path_factory.mktemp("two")
    leave_behind(folder)
    kept, swept = {}, []

    def writer(*seeds):
        def work():
            with Runs(folder) as runs:
                swept.extend(runs.swept)
                with runs.batch(together) as batch:
                    for seed in seeds:
                        batch.keep(*made(seed))
                kept[seeds] = batch.folders
                assert all(runs.find(made(seed)[0].hash, "timeout", "baseline") for seed in seeds)

        return work

    one, other = (1, 2, 3), (3, 2, 4)
    Turns(order).run(writer(*one), writer(*other))
    assert [verify_run(path).record.seed for seeds in (one, other) for path in kept[seeds]] == [*one, *other]
    assert kept[one][1] == kept[other][1]
    assert kept[one][2] == kept[other][0]
    assert {path.name for path in folder.iterdir()} == {made(seed)[0].name() for seed in (1, 2, 3, 4)}
    assert len(swept) == 1
    shutil.rmtree(folder)


def test_the_turns_are_taken_as_they_are_given(tmp_path):
    # Else the test above shows nothing.
    seen = []

    def work(me):
        def steps():
            for _ in range(3):
                (tmp_path / "x").exists()
                seen.append(me)

        return steps

    Turns([0, 1, 1, 0, 1]).run(work("a"), work("b"))
    assert seen[:4] == ["a", "b", "b", "a"]
