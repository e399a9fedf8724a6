"""Data files that records start with: `seed: { order: { from: orders.csv } }`; CSV, JSON and JSON Lines.

Finds and reads a file and hands its text to the reader of its form. Knows no world.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from squall.canonical import digest_bytes
from squall.errors import Position, Problem, UsageError, nearest, shown
from squall.worlds.file.shapes import Misread
from squall.worlds.seeds import csvfiles, garbage, jsonfiles
from squall.worlds.seeds.datacolumns import DataColumns
from squall.worlds.tables.records import Record

FORMS: Mapping[str, Callable[[str, str, Record], DataColumns]] = {
    ".csv": csvfiles.columns,
    ".json": jsonfiles.one_list,
    ".jsonl": jsonfiles.lines,
    ".ndjson": jsonfiles.lines,
}


class DataFile(NamedTuple):
    """A file that was read, and the digest of its bytes."""

    path: Path
    digest: str
    cells: DataColumns


def read(name: str, folder: Path, record: Record) -> DataFile:
    """The rows that the file `name` holds for `record`; relative names are looked for in `folder`.

    Raises `Misread` where there is no such file or form, UsageError for what is wrong inside it.
    """
    path = folder / name
    form = FORMS.get(path.suffix.lower())
    if form is None:
        near = nearest(path.suffix, FORMS) if path.suffix else None
        raise Misread(f"{shown(name)} is no data file", near=near, hint=f"data files end with {', '.join(FORMS)}")
    try:
        data = path.read_bytes()
    except OSError as error:
        beside = [each.name for each in path.parent.glob("*") if each.suffix.lower() in FORMS]
        why = f"there is no file {shown(name)}" if isinstance(error, FileNotFoundError) else f"{name}: {error.strerror}"
        raise Misread(why, near=nearest(path.name, beside), hint="it is looked for beside the world's file") from None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        place = Position(str(path), data[: error.start].count(b"\n") + 1)
        problem = Problem(
            f"{data[error.start : error.start + 1]!r} is not UTF-8", place, hint="Save the file as UTF-8."
        )
        raise UsageError(problem) from None
    digest = digest_bytes(data)
    del data  # as large as what is made of it
    with garbage.put_off():
        return DataFile(path, digest, form(text, str(path), record))
