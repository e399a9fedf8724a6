"""The hidden folder in which one process writes runs until they are whole, and the sweeping up of those left behind.

A process holds the lock of its folder as long as it lives; the system lets go of it however the process ends. So a
folder whose lock can be had is nobody's any more. Where there are no such locks, on Windows and on some network disks,
nothing is swept up. Knows no runs.
"""

from __future__ import annotations

import os
import shutil
import tempfile
import weakref
from itertools import count
from pathlib import Path

PREFIX = ".writing-"
LOCK = "lock"
MOST_NAMED = 3


class Workspace:
    """A folder of this process's own within `folder`. It is removed by `close`, or when nobody needs it any more."""

    def __init__(self, folder: Path) -> None:
        self.path, self._lock = _claimed(folder)
        self.process = os.getpid()
        self._numbers = count(1)
        self.close = weakref.finalize(self, _leave, self.path, self._lock, self.process)

    def room(self, name: str) -> Path:
        """A new empty folder; `name` tells whoever sweeps it up what it was to be."""
        path = self.path / f"{next(self._numbers)}-{name}"
        path.mkdir()
        return path


def sweep(folder: Path) -> list[str]:
    """Remove what processes that are gone have left in `folder`; one sentence for each that was writing a run."""
    with os.scandir(folder) as entries:
        left = sorted(entry.path for entry in entries if entry.name.startswith(PREFIX))
    return [sentence for path in map(Path, left) if (sentence := _swept(path))]


def _claimed(folder: Path) -> tuple[Path, int]:
    while True:
        path = Path(tempfile.mkdtemp(prefix=PREFIX, dir=folder))
        try:
            lock = os.open(path / LOCK, os.O_RDWR | os.O_CREAT)
        except FileNotFoundError:  # swept up before it was locked
            continue
        if _hold(lock) and _is_same(lock, path / LOCK):
            return path, lock
        os.close(lock)


def _swept(path: Path) -> str | None:
    try:
        lock = os.open(path / LOCK, os.O_RDWR | os.O_CREAT)
    except OSError:  # gone, or another user's
        return None
    try:
        if not _hold(lock, otherwise=False) or not _is_same(lock, path / LOCK):
            return None
        runs = sorted(entry.name.partition("-")[2] for entry in os.scandir(path) if entry.name != LOCK)
        _remove(path)
    finally:
        os.close(lock)
    if not runs:  # it was killed before it wrote anything; or it has just begun, and takes another folder
        return None
    named = ", ".join(runs[:MOST_NAMED]) + (", …" if len(runs) > MOST_NAMED else "")
    what = "a run" if len(runs) == 1 else f"{len(runs)} runs"
    return f"swept up {path.name}: {what} that a process was writing when it was killed ({named})"


def _leave(path: Path, lock: int, process: int) -> None:
    """Remove a folder, in the process that made it: a fork has the lock too."""
    if os.getpid() == process:
        _remove(path)
    os.close(lock)


def _remove(path: Path) -> None:
    """What is in a folder, then its lock, then the folder: whoever comes in between finds it locked, or not at all."""
    for entry in list(os.scandir(path)):
        if entry.name != LOCK:
            shutil.rmtree(entry.path, ignore_errors=True)
    for remove, what in ((os.unlink, path / LOCK), (os.rmdir, path)):
        try:
            remove(what)
        except OSError:  # somebody made it theirs just now
            return


def _hold(lock: int, *, otherwise: bool = True) -> bool:
    """Take a lock if nobody has it; `otherwise` is the answer where this disk has no locks."""
    try:
        import fcntl  # not on Windows
    except ImportError:  # pragma: no cover - the tests run where there are locks
        return otherwise
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return otherwise
    return True


def _is_same(file: int, path: Path) -> bool:
    """Whether the open file is the one of that name: it may have been removed, and made again."""
    try:
        return os.path.samestat(os.fstat(file), path.stat())
    except FileNotFoundError:
        return False
