"""Files that are on the disk when this says so, and errors of the disk as one clear message.

Knows folders and bytes, and not what is in them.
"""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from squall.errors import Problem, UsageError

HINTS = {
    errno.ENOSPC: "Free some space, or name a folder on another disk.",
    errno.EDQUOT: "Free some space, or name a folder on another disk.",
}
AT_ONCE = 8
OTHERWISE = "Name a folder that can be written."


@contextmanager
def writing_to(folder: Path) -> Iterator[None]:
    """An OSError in here becomes a UsageError that names the folder: the disk is full, say, or the folder read-only."""
    try:
        yield
    except OSError as error:
        message = f"cannot keep runs in {str(folder)!r}: {error.strerror or error}"
        raise UsageError(Problem(message, hint=HINTS.get(error.errno or 0, OTHERWISE))) from None


def write(path: Path, data: bytes) -> int:
    """Write a new file. Gives its descriptor, open yet, for `settle`."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        left = memoryview(data)
        while left:
            left = left[os.write(descriptor, left) :]
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def settle(files: list[int], folders: Iterable[Path]) -> None:
    """Wait until files and what folders list are on the disk, and close the files.

    All at once: what is asked for at the same time shares a commit of the disk's journal and a flush of its cache, of
    which each takes a millisecond, and ten where other programs write too.
    """
    opened = [*files]
    try:
        for file in files:
            _begin(file)
        if os.name != "nt":  # Windows opens no folders, and keeps their entries itself
            opened += [os.open(folder, os.O_RDONLY) for folder in folders]
        with ThreadPoolExecutor(AT_ONCE) as pool:  # it starts no more threads than there is to do
            list(pool.map(os.fsync, opened))
    finally:
        for each in opened:
            os.close(each)


def _begin(file: int) -> None:
    """Have the system begin to write a file: then one commit of its journal serves all of them."""
    if hasattr(os, "posix_fadvise"):
        os.posix_fadvise(file, 0, 0, os.POSIX_FADV_DONTNEED)
