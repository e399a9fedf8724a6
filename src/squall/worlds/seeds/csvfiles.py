"""CSV as rows of a record: the first line names the fields, an empty cell is null where the field may be null.

Cells are texts; what looks like a number becomes one where the field is a number, and the rest is left for the type to
refuse. Lists and nested fields are written as JSON. Knows no file system.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

from squall.errors import Position, Problem, UsageError, shown
from squall.worlds.fields.compound import ListType, MappingType, RefType
from squall.worlds.fields.numeric import FloatType, IntType
from squall.worlds.fields.types import BoolType, FieldType
from squall.worlds.seeds.datacolumns import SHOWN, DataColumns, Path, unknown_columns
from squall.worlds.seeds.seeding import MISSING
from squall.worlds.tables.records import Record

CHUNK = 10_000
Read = Callable[[str], Any]
OTHER_SIGNS = {";": "semicolons", "\t": "tabs", "|": "bars"}
BOOLS = {"true": True, "false": False, "1": True, "0": False}


def columns(text: str, name: str, record: Record) -> DataColumns:
    """The cells of a CSV text. Raises UsageError with what is wrong with its form."""

    def at(row: int, _path: Path = ()) -> Position:
        return Position(name, next(islice(_lines(text), row + 1, None)))

    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [cell.strip() for cell in next(reader, [])]
        _check_header(header, name, record)
        found: list[list[Any]] = [[] for _ in header]
        reads = [_reading(field, record.fields[field]) for field in header]
        size, ragged = 0, []
        while chunk := list(islice(reader, CHUNK)):
            rows = [row for row in chunk if row]  # blank lines are no rows
            ragged += [(size + place, row) for place, row in enumerate(rows) if len(row) != len(header)]
            size += len(rows)
            if not ragged:
                for cells, read, column in zip(zip(*rows, strict=True), reads, found, strict=False):
                    column += map(read, cells)
    except csv.Error as error:
        raise UsageError(Problem(f"this is not valid CSV: {error}", Position(name, reader.line_num))) from None
    if ragged:
        raise UsageError([_ragged(row, cells, header, at(row)) for row, cells in ragged[:SHOWN]])
    return DataColumns(dict(zip(header, found, strict=True)), size, at)


def _check_header(header: list[str], name: str, record: Record) -> None:
    top = Position(name, 1)
    if not any(header):
        hint = f"Name fields there: {', '.join(record.fields)}."
        raise UsageError(Problem("the first line names no columns", top, hint=hint))
    other = next((sign for sign in OTHER_SIGNS if len(header) == 1 and sign in header[0]), None)
    if other is not None:
        hint = f"Save the file with commas: {header[0].replace(other, ',')}"
        raise UsageError(Problem(f"the columns are told apart by {OTHER_SIGNS[other]}, not by commas", top, hint=hint))
    problems = unknown_columns(record, ((field, top) for field in dict.fromkeys(header)))
    for field in dict.fromkeys(field for place, field in enumerate(header) if field in header[:place]):
        problems.append(Problem(f"the column {field!r} is there twice", top, hint="Leave one of them out."))
    if problems:
        raise UsageError(problems)


def _ragged(row: int, cells: list[str], header: list[str], at: Position) -> Problem:
    counted = f"{len(cells)} cell{'' if len(cells) == 1 else 's'}"
    long = len(cells) > len(header)
    hint = "A cell that holds a comma needs quotes." if long else "Write the commas of empty cells too."
    return Problem(f"row {row + 1} has {counted}, and there are {len(header)} columns: {shown(cells)}", at, hint=hint)


def _lines(text: str) -> Iterator[int]:
    """The lines in which the header and the rows begin."""
    reader, before = csv.reader(io.StringIO(text, newline="")), 0
    for row in reader:
        if row:
            yield before + 1
        before = reader.line_num


def _reading(field: str, kind: FieldType) -> Read:
    """What a cell of this type means. An empty id is none: the row is numbered."""
    read = _READS.get(type(kind), str)
    if isinstance(kind, RefType):
        read = _whole if kind.key == "int" else str
    if field == "id":
        return lambda text: read(text) if text else MISSING
    if not kind.optional:
        return read
    return lambda text: read(text) if text else None


def _whole(text: str) -> Any:
    digits = text.strip()
    try:
        return int(digits) if digits.isascii() and digits.removeprefix("-").isdigit() else text
    except ValueError:  # more digits than Python reads
        return text


def _number(text: str) -> Any:
    try:
        return float(text) if "_" not in text else text
    except ValueError:
        return text


def _bool(text: str) -> Any:
    return BOOLS.get(text.strip().lower(), text)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


_READS: dict[type[FieldType], Read] = {
    IntType: _whole,
    FloatType: _number,
    BoolType: _bool,
    ListType: _json,
    MappingType: _json,
}
