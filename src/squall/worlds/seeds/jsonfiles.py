"""JSON (a list of objects) and JSON Lines (an object in each line) as rows of a record.

What an object does not have is missing, and is then generated. Knows no file system.
"""

from __future__ import annotations

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
    return _columns(rows, record, at)


def lines(text: str, name: str, record: Record) -> DataColumns:
    """The rows of JSON Lines. Raises UsageError with what is wrong with its form."""
    numbered = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]

    def at(row: int, path: Path, *, key: bool = False) -> Position:
        number, line = numbered[row]
        return Position(name, number, documents.parse(line, format="json", name=name).at(path, key=key).column)

    rows = []
    problems: list[Problem] = []
    decode = msgspec.json.Decoder().decode
    for number, line in numbered:
        try:
            rows.append(decode(line))
        except msgspec.DecodeError:
            try:
                rows.append(documents.parse(line, format="json", name=name).data)
            except UsageError as error:
                moved = Position(name, number, error.problems[0].at.column if error.problems[0].at else None)
                problems.append(error.problems[0]._replace(at=moved))
                if len(problems) == SHOWN:
                    break
    if problems:
        raise UsageError(problems)
    return _columns(rows, record, at)


class _At(Protocol):
    def __call__(self, row: int, path: Path, *, key: bool = False) -> Position: ...


def _columns(rows: list[Any], record: Record, at: _At) -> DataColumns:
    wrong = [number for number, row in enumerate(rows) if not isinstance(row, dict)]
    if wrong:
        problems = [Problem(f"row {n + 1}: {shown(rows[n])} is not an object", at(n, ())) for n in wrong[:SHOWN]]
        raise UsageError(problems)
    fields = record.fields.keys()
    unknown: dict[str, int] = {}
    for number, row in enumerate(rows):
        if not row.keys() <= fields:
            for name in row.keys() - fields:
                unknown.setdefault(name, number)
    if unknown:
        first = sorted(unknown.items(), key=lambda item: (item[1], item[0]))[:SHOWN]
        raise UsageError(unknown_columns(record, ((name, at(number, (name,), key=True)) for name, number in first)))
    return DataColumns({name: [row.get(name, MISSING) for row in rows] for name in fields}, len(rows), at)
