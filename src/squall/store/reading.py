"""Stored runs read back, in one order, from whichever folders a person names.

A folder may be one run's, one of runs, or hold several of those. Checks each `run.json` by its seal, and no traces:
`whole` does.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import msgspec

from squall.documents.nearby import near
from squall.errors import Problem, UsageError
from squall.store.record import RunRecord, decode

RUN, TRACE = "run.json", "trace.jsonl"
DEPTH = 2
"""Levels below a named folder at which runs are looked for."""
MOST_TOLD = 20
LOOKED_FOR = f"A run is a folder with {RUN} and {TRACE}, as `squall run --output DIR` and `squall suite` write them."


class Stored(NamedTuple):
    """One run and the folder it lies in."""

    record: RunRecord
    folder: Path

    @property
    def trace(self) -> Path:
        """The run's trace."""
        return self.folder / TRACE


def read_runs(paths: Iterable[Path]) -> list[Stored]:
    """All runs in the folders `paths`, each folder once, by scenario, strategy, seed, run index and sample.

    Raises UsageError for a path without a run in it, and for any `run.json` that is not as it was written.
    """
    problems: list[Problem] = []
    folders: dict[str, Path] = {}
    for path in paths:
        found = list(run_folders(path))
        if not found:
            problems.append(_nothing(path))
        folders.update((os.path.realpath(folder), folder) for folder in found)
    stored: list[Stored] = []
    for folder in folders.values():
        try:
            stored.append(Stored(read(folder), folder))
        except (OSError, msgspec.DecodeError) as error:
            problems.append(Problem(f"{folder / RUN}: {why(error)}", hint=_hint(folder)))
    if problems:
        raise UsageError(_cut(problems))
    return in_order(stored)


def in_order(stored: list[Stored]) -> list[Stored]:
    """By scenario, strategy, seed, run index, sample; then by hash, and by name of the folder."""
    return sorted(stored, key=_place)


def run_folders(path: Path, depth: int = DEPTH) -> Iterator[Path]:
    """The folders of runs at `path`, and below it."""
    if not path.is_dir():
        return
    if (path / RUN).exists() or (path / TRACE).exists():
        yield path
        return
    yield from _below(str(path), depth)


def read(folder: Path) -> RunRecord:
    """The record in a run's folder. Raises OSError or msgspec.DecodeError."""
    with open(f"{folder}/{RUN}", "rb", buffering=0) as file:  # noqa: PTH123 - ten thousand of them: a Path is dear
        return decode(file.readall())


def why(error: Exception) -> str:
    """What is wrong with a `run.json`, in a sentence."""
    return error.strerror or str(error) if isinstance(error, OSError) else str(error)


def _below(path: str, depth: int) -> Iterator[Path]:
    with os.scandir(path) as entries:
        inner = sorted(entry.path for entry in entries if not entry.name.startswith(".") and entry.is_dir())
    for folder in inner:
        if os.path.exists(f"{folder}/{RUN}") or os.path.exists(f"{folder}/{TRACE}"):  # noqa: PTH110 - as above
            yield Path(folder)
        elif depth > 1:
            yield from _below(folder, depth - 1)


def _place(stored: Stored) -> tuple[str, str, int, int, int, str, str]:
    record, folder = stored
    place = (record.scenario, record.strategy, record.seed, record.run_index, record.sample)
    return (*place, record.hash, str(folder))


def _nothing(path: Path) -> Problem:
    if not path.exists():
        return Problem(f"cannot read {str(path)!r}: No such file or directory", nearest=near(path), hint=LOOKED_FOR)
    if not path.is_dir():
        return Problem(f"{str(path)!r} is a file, and runs are folders", hint=LOOKED_FOR)
    return Problem(f"there is no run in {str(path)!r}, nor in the folders two levels down", hint=LOOKED_FOR)


def _hint(folder: Path) -> str:
    return f"Remove the folder, or restore it; `squall verify {folder}` looks at its trace too."


def _cut(problems: list[Problem]) -> list[Problem]:
    if len(problems) <= MOST_TOLD:
        return problems
    return [*problems[:MOST_TOLD], Problem(f"and {len(problems) - MOST_TOLD} more like these")]
