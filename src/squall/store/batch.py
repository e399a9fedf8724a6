"""Runs that wait for each other to be brought to the disk: many of them cost little more than one.

Bringing one run to the disk takes about a millisecond, of which the disk's journal takes the most. Knows no strategy.
"""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from squall.clock import real
from squall.store import disk, placing
from squall.store.record import RunRecord
from squall.store.workspace import Workspace

TOGETHER = 64
"""Runs that are brought to the disk at once."""
SECONDS = 1.0
"""A run waits no longer than this once another one comes."""


class Batch:
    """Stores runs in `folder`, each whole or not at all, whenever the process is killed. Its owner locks.

    Ends with `flush`, or as a context: whatever ends that, the runs that were given to it are kept. Raises UsageError
    where the folder cannot be written; then those that waited are lost.
    """

    def __init__(self, folder: Path, workspace: Workspace, together: int = TOGETHER) -> None:
        self.folders: list[Path] = []  # of the runs that are on the disk, as they were given
        self._folder, self._workspace, self._together = folder, workspace, together
        self._waiting: list[tuple[RunRecord, Path]] = []
        self._files: list[int] = []
        self._since = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.flush()

    def keep(self, record: RunRecord, lines: Sequence[bytes]) -> None:
        """Store one run, with the lines of its trace: now, or with those that come after it."""
        found = placing.find(self._folder, record.hash, record.scenario, record.strategy)
        if found is not None:
            self.flush()
            self.folders.append(found.folder)
            return
        with disk.writing_to(self._folder):
            room = self._workspace.room(record.name())
            try:
                self._files += placing.write(room, record, lines)
            except BaseException:
                shutil.rmtree(room, ignore_errors=True)
                raise
        now = real.monotonic()
        if not self._waiting:
            self._since = now
        self._waiting.append((record, room))
        if len(self._waiting) >= self._together or now - self._since >= SECONDS:
            self.flush()

    def flush(self) -> None:
        """Bring what waits to the disk, and into its place."""
        if not self._waiting:
            return
        (waiting, self._waiting), (files, self._files) = (self._waiting, []), (self._files, [])
        try:
            with disk.writing_to(self._folder):
                disk.settle(files, [room for _, room in waiting])
                self.folders += [placing.place(room, self._folder, record) for record, room in waiting]
                disk.settle([], [self._folder])
        finally:
            for _, room in waiting:
                if room.exists():
                    shutil.rmtree(room, ignore_errors=True)
