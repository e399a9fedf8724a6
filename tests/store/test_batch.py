"""Runs that share the cost of the disk: when they come to be there, and what becomes of them."""

from __future__ import annotations

import pytest

from squall.clock import real
from squall.store import Runs
from squall.store.batch import SECONDS


@pytest.fixture
def runs(folder, monkeypatch):
    monkeypatch.setattr(real, "monotonic", lambda: 0.0)
    with Runs(folder) as runs:
        yield runs


def seeds(runs):
    return [record.seed for record in runs]


def test_runs_wait_for_each_other_up_to_a_number(runs, made):
    with runs.batch(together=3) as batch:
        for seed in range(5):
            batch.keep(*made(seed))
            assert len(seeds(runs)) == (0 if seed < 2 else 3)
    assert seeds(runs) == [0, 1, 2, 3, 4]


def test_a_run_does_not_wait_long_for_the_next_one(runs, made, monkeypatch):
    with runs.batch() as batch:
        batch.keep(*made(0))
        monkeypatch.setattr(real, "monotonic", lambda: SECONDS - 0.01)
        batch.keep(*made(1))
        assert seeds(runs) == []
        monkeypatch.setattr(real, "monotonic", lambda: SECONDS)
        batch.keep(*made(2))
        assert seeds(runs) == [0, 1, 2]
        batch.keep(*made(3))  # waits from its own beginning
        assert seeds(runs) == [0, 1, 2]


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
def test_what_was_finished_is_kept_when_the_batch_is_broken_off(runs, made, error):
    with pytest.raises(error), runs.batch() as batch:
        batch.keep(*made(0))
        batch.keep(*made(1))
        raise error
    assert seeds(runs) == [0, 1]


def test_it_can_be_brought_to_the_disk_at_any_time(runs, made):
    with runs.batch() as batch:
        batch.flush()
        batch.keep(*made(0))
        batch.flush()
        assert seeds(runs) == [0]
        batch.flush()


def test_its_folders_are_in_the_order_of_its_runs_also_of_those_that_are_there_already(runs, made):
    first = runs.keep(*made(1))
    with runs.batch() as batch:
        for seed in (2, 1, 3, 2):
            batch.keep(*made(seed))
    assert [folder.name for folder in batch.folders] == [made(seed)[0].name() for seed in (2, 1, 3, 2)]
    assert batch.folders[1] == first


def test_a_run_given_twice_before_it_is_on_the_disk_is_stored_once(runs, made, listed):
    with runs.batch() as batch:
        batch.keep(*made(5))
        batch.keep(*made(5))
    assert batch.folders == [runs.folder / made(5)[0].name()] * 2
    runs.close()
    assert listed(runs.folder) == [made(5)[0].name()]
