"""The folder in which a process writes: its own as long as it lives, swept up once it is gone."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from squall.store import workspace
from squall.store.workspace import LOCK, PREFIX, Workspace, sweep


@pytest.fixture
def left(tmp_path):
    """Make what a killed process leaves: its folder, locked by nobody."""

    def make(*runs, name="dead", lock=True):
        path = tmp_path / f"{PREFIX}{name}"
        path.mkdir()
        if lock:
            (path / LOCK).touch()
        for run in runs:
            (path / run).mkdir()
            (path / run / "trace.jsonl").write_text("half", encoding="utf-8")
        return path

    return make


def test_rooms_are_empty_folders_that_never_meet(tmp_path):
    place = Workspace(tmp_path)
    one, other = place.room("timeout-baseline-00"), place.room("timeout-baseline-00")
    assert one != other
    assert list(one.iterdir()) == list(other.iterdir()) == []
    place.close()


def test_closing_leaves_nothing_and_may_be_repeated(tmp_path):
    place = Workspace(tmp_path)
    (place.room("a") / "file").touch()
    place.close()
    place.close()
    assert list(tmp_path.iterdir()) == []


def test_a_workspace_that_nobody_holds_any_more_is_removed(tmp_path):
    Workspace(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_living_ones_folder_is_left_alone(tmp_path):
    place = Workspace(tmp_path)
    room = place.room("a")
    assert sweep(tmp_path) == []
    assert room.is_dir()
    place.close()


def test_what_a_killed_process_was_writing_is_named(tmp_path, left):
    left("1-timeout-baseline-00", "12-stale-memory-resilient-11")
    what = "2 runs that a process was writing when it was killed (stale-memory-resilient-11, timeout-baseline-00)"
    assert sweep(tmp_path) == [f"swept up .writing-dead: {what}"]
    assert list(tmp_path.iterdir()) == []
    assert sweep(tmp_path) == []


def test_one_run_and_many_runs_are_told_in_their_words(tmp_path, left):
    left("1-a", name="1")
    left(*(f"{n}-{n}" for n in range(1, 6)), name="2")
    assert sweep(tmp_path) == [
        "swept up .writing-1: a run that a process was writing when it was killed (a)",
        "swept up .writing-2: 5 runs that a process was writing when it was killed (1, 2, 3, …)",
    ]


@pytest.mark.parametrize("lock", [True, False])
def test_of_a_process_killed_before_it_wrote_anything_there_is_nothing_to_tell(tmp_path, left, lock):
    left(lock=lock)
    assert sweep(tmp_path) == []
    assert list(tmp_path.iterdir()) == []


def test_only_leftovers_are_swept(tmp_path):
    (tmp_path / "timeout-baseline-00").mkdir()
    (tmp_path / ".samples").mkdir()
    (tmp_path / f"{PREFIX}file").touch()
    assert sweep(tmp_path) == []
    assert len(list(tmp_path.iterdir())) == 3


def test_a_folder_swept_up_before_it_was_locked_is_made_again(tmp_path, monkeypatch):
    real = os.open
    swept: list[Path] = []

    def late(path, *args):
        if not swept:
            swept.append(path.parent)
            path.parent.rmdir()
        return real(path, *args)

    monkeypatch.setattr(os, "open", late)
    place = Workspace(tmp_path)
    assert place.path.is_dir()
    assert place.path not in swept
    place.close()


def test_a_folder_whose_lock_somebody_else_took_is_given_up(tmp_path, monkeypatch):
    real, taken = workspace._hold, []

    def hold(lock, **options):
        taken.append(lock)
        return len(taken) > 1 and real(lock, **options)

    monkeypatch.setattr(workspace, "_hold", hold)
    place = Workspace(tmp_path)
    place.close()
    assert len(taken) == 2


def test_where_the_disk_has_no_locks_runs_are_written_and_nothing_is_swept(tmp_path, left, monkeypatch):
    import fcntl

    def refuse(*_):
        raise OSError("no locks here")

    monkeypatch.setattr(fcntl, "flock", refuse)
    dead = left("1-a")
    place = Workspace(tmp_path)
    assert sweep(tmp_path) == []
    assert dead.is_dir()
    place.close()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*:DeprecationWarning")  # threads that other tests have left
def test_a_fork_that_ends_takes_nothing_away_from_its_parent(tmp_path):
    place = Workspace(tmp_path)
    child = os.fork()
    if child == 0:
        place.close()
        os._exit(0)
    os.waitpid(child, 0)
    assert place.path.is_dir()
    assert sweep(tmp_path) == []
    place.close()
