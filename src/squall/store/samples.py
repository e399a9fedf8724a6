"""Numbers for repetitions of a run that is not the same each time: no two processes are ever given the same one.

A hidden folder holds one file for each such run, named by the run's hash, which grows by a byte with each number given.
Appending is one step to the system, and tells the appender where its byte came to stand. Knows no runs.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = ".samples"


def take(folder: Path, run_hash: str) -> int:
    """The next number, from 0, of those never given before in `folder` for that hash."""
    (folder / FOLDER).mkdir(exist_ok=True)
    file = os.open(folder / FOLDER / run_hash, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o666)
    try:
        os.write(file, b".")
        return os.lseek(file, 0, os.SEEK_CUR) - 1
    finally:
        os.close(file)
