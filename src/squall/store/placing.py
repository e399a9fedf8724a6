"""One run's folder within a folder of runs: finding it by its full hash, writing it, and putting it into its place."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import msgspec

from squall.errors import Problem, UsageError
from squall.store import disk
from squall.store.naming import folder_names
from squall.store.reading import RUN, TRACE, Stored, read
from squall.store.record import RunRecord, encode


def find(folder: Path, run_hash: str, scenario: str, strategy: str) -> Stored | None:
    """The run of that hash in `folder`, if it is there with its trace and its `run.json` is as it was written."""
    for name in folder_names(scenario, strategy, run_hash):
        found = _whole(folder / name, run_hash)
        if found is not None:
            return found
    return None


def write(room: Path, record: RunRecord, lines: Sequence[bytes]) -> list[int]:
    """Write a run into an empty folder. Gives the files' descriptors, for `disk.settle`."""
    files = [disk.write(room / TRACE, b"".join((b"\n".join(lines), b"\n")))]
    try:
        files.append(disk.write(room / RUN, encode(record)))
    except BaseException:
        os.close(files[0])
        raise
    return files


def place(room: Path, folder: Path, record: RunRecord) -> Path:
    """Rename what was written to the first name that is free; not at all where the same run is there by now."""
    for name in folder_names(record.scenario, record.strategy, record.hash):
        target = folder / name
        try:
            room.rename(target)
        except OSError:
            if not os.path.lexists(target):
                raise
            if _whole(target, record.hash) is not None:
                shutil.rmtree(room, ignore_errors=True)
                return target
        else:
            return target
    message = f"all names for the run {record.name()} are taken in {str(folder)!r}"
    raise UsageError(Problem(message, hint="`squall verify` tells which of these folders are damaged: remove them."))


def _whole(folder: Path, run_hash: str) -> Stored | None:
    try:
        record = read(folder)
        traced = (folder / TRACE).stat().st_size > 0
    except (OSError, msgspec.DecodeError, RecursionError):
        return None
    return Stored(record, folder) if traced and record.hash == run_hash else None
