"""Where the trace of a run is written for `--squall-traces DIR`: one file per run, named after it.

Knows names of files; what stands in them is the trace's own business.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from squall.canonical import digest
from squall.errors import Problem, UsageError

PLAIN = re.compile(r"[\w.@+=-]*", re.ASCII)
UNSAFE = re.compile(r"[^\w.@+=-]", re.ASCII)
LONGEST = 120  # of 255 bytes that file systems allow
DIGITS = 8


def trace_path(folder: Path, group: str, index: int | None, worker: str | None = None) -> Path:
    """`test_a.py--test_x--case--run0003.jsonl` for run 3 of `test_a.py::test_x[case]`: sorted by run, and no glob.

    Ids that are too long, or have characters that not every file can have, are told apart by a few digits. `worker` is
    named where several do the same runs.
    """
    function, bracket, case = group.partition("[")
    file, *names = function.split("::")
    parts = [file.replace("/", "-"), *names, *([case.removesuffix("]")] if bracket else [])]
    readable = "--".join(parts)
    name = UNSAFE.sub("-", readable)
    told_apart = "-" in file or "--" in case or not all(map(PLAIN.fullmatch, parts))
    if told_apart or len(name) > LONGEST:
        name = f"{_shortened(name)}-{digest(group)[:DIGITS]}"
    run = () if index is None else (f"run{index:04}",)
    return folder / f"{'--'.join((name, *run, *((worker,) if worker else ())))}.jsonl"


def _shortened(name: str) -> str:
    """The beginning and the end of a long name: the file, and the case."""
    half = LONGEST // 2
    return name if len(name) <= LONGEST else f"{name[:half]}...{name[-half:]}"


def make_folder(folder: Path) -> None:
    """See to it that traces can be written. Raises UsageError where they cannot."""
    hint = "Name a folder; it is made if it does not exist."
    if folder.exists() and not folder.is_dir():
        raise UsageError(Problem(f"--squall-traces={folder} is a file, not a folder", hint=hint))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"--squall-traces={folder} cannot be made: {error.strerror or error}"
        raise UsageError(Problem(message, hint=hint)) from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UsageError(Problem(f"--squall-traces={folder} cannot be written to", hint=hint))
