"""The folder that runs are kept in: each whole or not at all, found again by the hash of all it depends on.

    runs/timeout-baseline-0123456789ab/run.json     what came of it, and from what (`record`)
    runs/timeout-baseline-0123456789ab/trace.jsonl  what happened
    runs/.writing-…/                                runs that a process has not finished writing (`workspace`)
    runs/.samples/                                  how many samples were given out (`samples`)

A run is written in the workspace, brought to the disk, and renamed into its place, which is one step. Of two processes
that store the same run the later one finds it there, and writes nothing. Knows no strategy and no report.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from squall.errors import UsageError
from squall.store import disk, placing, samples
from squall.store.batch import TOGETHER, Batch
from squall.store.reading import read_runs, run_folders
from squall.store.record import Inputs, RunRecord
from squall.store.workspace import Workspace, sweep


class Runs:
    """One folder of runs, made if it is not there; `swept` has a sentence for each killed process's leftovers.

    Threads and processes may share a folder. Raises UsageError where it cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._workspace: Workspace | None = None
        self._lock = threading.RLock()
        with disk.writing_to(folder):
            folder.mkdir(parents=True, exist_ok=True)
            self.swept: list[str] = sweep(folder)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Leave nothing but whole runs. Without it that is so when the process ends."""
        with self._lock:
            if self._workspace is not None:
                self._workspace.close()
                self._workspace = None

    def find(self, run_hash: str, scenario: str, strategy: str) -> RunRecord | None:
        """The run of that hash, all 64 digits, if it is there, whole and unchanged (its trace is not verified)."""
        found = placing.find(self.folder, run_hash, scenario, strategy)
        return None if found is None else found.record

    def trace_of(self, record: RunRecord) -> Path:
        """The file of a stored run's trace. Raises UsageError where the run is not there."""
        found = placing.find(self.folder, record.hash, record.scenario, record.strategy)
        if found is None:
            raise UsageError(f"the run {record.name()} is not in {str(self.folder)!r}")
        return found.trace

    def keep(self, record: RunRecord, lines: Sequence[bytes]) -> Path:
        """Store one run, with the lines of its trace, and give its folder; it is on the disk when this returns."""
        return self.keep_all([(record, lines)])[0]

    def keep_all(self, runs: Iterable[tuple[RunRecord, Sequence[bytes]]]) -> list[Path]:
        """Store runs as they come, and give their folders."""
        with self.batch() as batch:
            for record, lines in runs:
                batch.keep(record, lines)
        return batch.folders

    @contextmanager
    def batch(self, together: int = TOGETHER) -> Iterator[Batch]:
        """Runs that wait for each other to be brought to the disk, up to `together` of them; for one thread."""
        with self._lock:
            if self._workspace is None or self._workspace.process != os.getpid():  # a fork writes in its own
                with disk.writing_to(self.folder):
                    self._workspace = Workspace(self.folder)
            workspace = self._workspace
        with Batch(self.folder, workspace, together) as batch:
            yield batch

    def next_sample(self, scenario: str, inputs: Inputs) -> int:
        """The next free sample number for a run that may come out otherwise each time; `inputs.sample` is left out.

        It is given once, whoever asks, whether or not the run is stored in the end.
        """
        base = msgspec.structs.replace(inputs, sample=0).hash
        while True:
            with disk.writing_to(self.folder):
                number = samples.take(self.folder, base)
            run_hash = msgspec.structs.replace(inputs, sample=number).hash
            if self.find(run_hash, scenario, inputs.strategy.name) is None:
                return number

    def __iter__(self) -> Iterator[RunRecord]:
        """All runs, by scenario, strategy, seed, run index and sample."""
        if not any(True for _ in run_folders(self.folder, depth=1)):
            return iter(())
        return iter([stored.record for stored in read_runs([self.folder])])
