"""What is read from a data file: its cells by column, and where each of them stands.

Knows records by their fields; no format.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from squall.errors import Position, Problem, nearest, shown
from squall.worlds.tables.records import Record

SHOWN = 20
"""So many problems of a file are told."""
Path = tuple[str | int, ...]


class DataColumns(NamedTuple):
    """`columns` by field, `size` cells in each; `at` says where a row stands (they count from 0), or a part of it."""

    columns: Mapping[str, Sequence[Any]]
    size: int
    at: Callable[[int, Path], Position]


def unknown_columns(record: Record, names: Iterable[tuple[Any, Position]]) -> list[Problem]:
    """A problem for each name that is no field of `record`."""
    hint = f"Fields: {', '.join(record.fields)}."
    return [
        Problem(f"{record.name} has no field {shown(name)}", at, nearest(name, record.fields), hint)
        for name, at in names
        if name not in record.fields
    ]
