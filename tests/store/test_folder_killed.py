"""A process that is killed while it stores runs leaves each of them whole, or not at all."""

from __future__ import annotations

import os
import random
import signal
import sys

import pytest

from squall.store import Runs
from squall.store.whole import verify_run

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning"),  # threads that other tests have left
]

KILLS = 200
SYSTEM = {"posix", "fcntl", "_io", "io"}


def forked(work):
    """Do something in a child that never comes back by itself."""
    child = os.fork()
    if child:
        return child
    try:
        work()
    finally:
        os._exit(1)


def look_over(folder, seen):
    """What is there now, with what the next start says; runs that were seen before are not looked at again."""
    with Runs(folder) as runs:
        there = {path.name: path for path in folder.iterdir()}
        assert not any(name.startswith(".") for name in there)
        for name in there.keys() - seen:
            verify_run(there[name])
        assert there.keys() >= seen  # what was whole once stays
        return set(there), runs.swept


def test_200_kills_at_random_moments_leave_only_whole_runs(tmp_path, made):
    chance = random.Random(6)
    every = [made(seed) for seed in range(400)]
    folder = tmp_path / "runs"
    seen: set[str] = set()
    swept: list[str] = []
    for _ in range(KILLS):
        begun, begin = os.pipe()

        def write_on(begin=begin, seen=frozenset(seen)):
            left = [run for run in every if run[0].name() not in seen]
            with Runs(folder) as runs:
                while True:
                    with runs.batch(together=3) as batch:
                        for run in left:
                            os.write(begin, b".")
                            batch.keep(*run)

        child = forked(write_on)
        os.close(begin)
        for _ in range(chance.randrange(6)):
            os.read(begun, 1)
        for _ in range(chance.randrange(40_000)):  # somewhere within what it does now
            pass
        os.kill(child, signal.SIGKILL)
        assert os.WTERMSIG(os.waitpid(child, 0)[1]) == signal.SIGKILL
        os.close(begun)
        seen, told = look_over(folder, seen)
        swept += told
    assert 0 < len(seen) < len(every)
    assert KILLS / 4 < len(swept) <= KILLS  # a sentence for each that left something
    assert all("that a process was writing when it was killed" in sentence for sentence in swept)


def test_a_kill_before_any_single_step_leaves_only_whole_runs(tmp_path, made):
    record, lines = made(1)
    step, ended = 0, False
    while not ended:
        folder = tmp_path / str(step)

        def write_until(step=step, folder=folder):
            left = iter(range(step))

            def hook(_, event, called):
                if event == "c_call" and getattr(called, "__module__", None) in SYSTEM and next(left, None) is None:
                    os.kill(os.getpid(), signal.SIGKILL)

            sys.setprofile(hook)
            with Runs(folder) as runs:
                runs.keep(record, lines)
            sys.setprofile(None)
            os._exit(0)

        ended = os.waitpid(forked(write_until), 0)[1] == 0
        with Runs(folder) as runs:
            found = runs.find(record.hash, "timeout", "baseline")
            assert found in (None, record)
            assert found == record or not ended
            names = {path.name for path in folder.iterdir()}
        assert names == ({record.name()} if found else set())
        assert found is None or verify_run(folder / record.name())
        step += 1
    assert step > 30
