"""What the disk refuses is told in one message, and leaves nothing behind."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from squall.errors import UsageError
from squall.store import Runs, disk


def refuse(monkeypatch, name, number, *, after=0):
    """Have the system refuse a call, from the one after `after` of them on."""
    calls, real = iter(range(10_000)), getattr(os, name)

    def call(*args, **options):
        if next(calls) < after:
            return real(*args, **options)
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, name, call)


def told(runs, folder):
    with pytest.raises(UsageError) as caught:
        runs()
    (problem,) = caught.value.problems
    assert problem.message.startswith(f"cannot keep runs in {str(folder)!r}: ")
    return problem.message.rpartition(": ")[2], problem.hint


def test_a_full_disk_is_told_once_and_leaves_nothing_half_written(folder, made, listed, monkeypatch):
    with Runs(folder) as runs:
        runs.keep(*made(1))
        with monkeypatch.context() as full:
            refuse(full, "write", errno.ENOSPC, after=1)  # the trace fits, its run.json does not
            what = told(lambda: runs.keep(*made(2)), folder)
        assert what == ("No space left on device", "Free some space, or name a folder on another disk.")
        runs.keep(*made(3))
    assert listed(folder) == sorted(made(seed)[0].name() for seed in (1, 3))


def test_a_disk_that_is_full_only_when_it_settles_leaves_none_of_the_batch(folder, made, listed, monkeypatch):
    with Runs(folder) as runs:
        with monkeypatch.context() as full:
            refuse(full, "fsync", errno.ENOSPC, after=3)
            told(lambda: runs.keep_all(made(seed) for seed in range(4)), folder)
        assert [name for name in listed(folder) if not name.startswith(".")] == []
        assert [path.name for path in folder.glob(".writing-*/*")] == ["lock"]
    assert listed(folder) == []


@pytest.mark.parametrize(("call", "number"), [("mkdir", errno.EROFS), ("rename", errno.EACCES)])
def test_a_folder_that_cannot_be_written_is_told(folder, made, listed, monkeypatch, call, number):
    with Runs(folder) as runs:
        refuse(monkeypatch, call, number)
        assert told(lambda: runs.keep(*made()), folder) == (os.strerror(number), "Name a folder that can be written.")
        monkeypatch.undo()
    assert listed(folder) == []


def test_a_file_where_the_folder_should_be_is_told(tmp_path):
    file = tmp_path / "runs"
    file.write_text("hello", encoding="utf-8")
    assert told(lambda: Runs(file), file)[0] == "File exists"
    assert told(lambda: Runs(file / "inner"), file / "inner")[0] == "Not a directory"


def test_no_descriptor_is_left_open(tmp_path, folder, made, monkeypatch):
    listing = Path("/proc/self/fd")
    if not listing.is_dir():
        pytest.skip("open files are counted in /proc")

    def open_ones():
        return len(list(listing.iterdir()))

    before = open_ones()
    with Runs(folder) as runs:
        runs.keep_all(made(seed) for seed in range(3))
        with monkeypatch.context() as full:
            refuse(full, "write", errno.ENOSPC, after=1)
            told(lambda: runs.keep(*made(9)), folder)
    assert open_ones() == before


def test_a_write_that_the_system_takes_in_parts_is_whole(tmp_path, monkeypatch):
    real = os.write
    monkeypatch.setattr(os, "write", lambda file, data: real(file, bytes(data[:7])))
    disk.settle([disk.write(tmp_path / "x", b"0123456789" * 5)], [tmp_path])
    assert (tmp_path / "x").read_bytes() == b"0123456789" * 5


def test_the_files_are_on_the_disk_before_the_run_has_its_name(folder, made, monkeypatch):
    seen = []

    def noted(name, real):
        def call(*args):
            seen.append(name)
            return real(*args)

        return call

    for name in ("fsync", "rename"):
        monkeypatch.setattr(os, name, noted(name, getattr(os, name)))
    with Runs(folder) as runs:
        runs.keep_all(made(seed) for seed in range(2))
    # two files and one folder for each run, then both names, then the folder that holds them
    assert seen == ["fsync"] * 6 + ["rename"] * 2 + ["fsync"]
