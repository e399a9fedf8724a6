"""JSON (a list of objects) and JSON Lines (an object in each line) as rows of a record.

What an object does not have is missing, and is then generated. Knows no file system.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, islice
from typing import Any, Protocol

import msgspec

from squall import documents
from squall.documents import Document
from squall.errors import Position, Problem, UsageError, shown
from squall.worlds.seeds.datacolumns import SHOWN, DataColumns, Path, unknown_columns
from squall.worlds.seeds.seeding import MISSING
from squall.worlds.tables.records import Record

LARGE = 20_000_000
"""In a text of so many characters the positions are not looked for."""
BLOCK = 1_000_000
"""Characters of JSON Lines that are looked at together, or some more."""


def one_list(text: str, name: str, record: Record) -> DataColumns:
    """The rows of a JSON text. Raises UsageError with what is wrong with its form."""
    kept: list[Document] = []

    def document() -> Document:
        if not kept:
            kept.append(documents.parse(text, format="json", name=name))
        return kept[0]

    def at(row: int, path: Path, *, key: bool = False) -> Position:
        return document().at((row, *path), key=key) if len(text) < LARGE else Position(name)

    try:
        rows = msgspec.json.decode(text)
    except msgspec.DecodeError:
        rows = document().data  # says where it is wrong; or takes what only that reader does
    if not isinstance(rows, list):
        hint = 'Write [{"id": "1", …}, …].'
        raise UsageError(Problem(f"{shown(rows)} is not a list of rows", Position(name, 1, 1), hint=hint))
    return _columns([rows], record, at)


def lines(text: str, name: str, record: Record) -> DataColumns:
    """The rows of JSON Lines. Raises UsageError with what is wrong with its form."""

    def at(row: int, path: Path, *, key: bool = False) -> Position:
        number, line = next(islice(chain.from_iterable(_numbered(text)), row, None))
        return Position(name, number, documents.parse(line, format="json", name=name).at(path, key=key).column)

    return _columns(_decoded(text, name), record, at)


def _numbered(text: str) -> Iterator[list[tuple[int, str]]]:
    """The lines that hold something, each with its number, some at a time: all at once are more than all rows."""
    start, number = 0, 1
    while start < len(text):
        end = text.find("\n", start + BLOCK) + 1 or len(text)
        some = text[start:end].removesuffix("\n").split("\n")
        yield [(place, line) for place, line in enumerate(some, number) if line.strip()]
        start, number = end, number + len(some)


def _decoded(text: str, name: str) -> Iterator[list[Any]]:
    """The values of JSON Lines, some at a time. Raises UsageError with the lines that hold none."""
    problems: list[Problem] = []
    decode = msgspec.json.Decoder().decode
    for some in _numbered(text):
        rows = []
        for number, line in some:
            try:
                rows.append(decode(line))
            except msgspec.DecodeError:
                try:
                    rows.append(documents.parse(line, format="json", name=name).data)
                except UsageError as error:
                    moved = Position(name, number, error.problems[0].at.column if error.problems[0].at else None)
                    problems.append(error.problems[0]._replace(at=moved))
                    if len(problems) == SHOWN:
                        raise UsageError(problems) from None
        yield rows
    if problems:
        raise UsageError(problems)


class _At(Protocol):
    def __call__(self, row: int, path: Path, *, key: bool = False) -> Position: ...


def _columns(parts: Iterable[list[Any]], record: Record, at: _At) -> DataColumns:
    fields = record.fields.keys()
    columns: dict[str, list[Any]] = {name: [] for name in fields}
    wrong: list[tuple[int, Any]] = []
    unknown: dict[str, int] = {}
    size = 0
    for rows in parts:
        for number, row in enumerate(rows, size):
            if not isinstance(row, dict):
                wrong.append((number, row))
            elif not row.keys() <= fields:
                for name in row.keys() - fields:
                    unknown.setdefault(name, number)
        size += len(rows)
        if not wrong and not unknown:
            for name, column in columns.items():
                column += [row.get(name, MISSING) for row in rows]
    if wrong:
        raise UsageError(
            [Problem(f"row {n + 1}: {shown(row)} is not an object", at(n, ())) for n, row in wrong[:SHOWN]]
        )
    if unknown:
        first = sorted(unknown.items(), key=lambda item: (item[1], item[0]))[:SHOWN]
        raise UsageError(unknown_columns(record, ((name, at(number, (name,), key=True)) for name, number in first)))
    return DataColumns(columns, size, at)
