"""What fills the generated cells of a field: for many rows at once, each cell by a key of its own.

Knows types and the ids of the rows that references may point at; no fixed row.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from squall.worlds.fields.compound import ListType, MappingType, RefType
from squall.worlds.fields.numeric import DecimalType, FloatType, IntType
from squall.worlds.fields.types import BoolType, DatetimeType, DateType, EnumType, FieldType, StrType, UnreadType
from squall.worlds.seeds import cells
from squall.worlds.seeds.keyed import Cells, Keys
from squall.worlds.tables.lifecycle import FIRST_VERSION
from squall.worlds.tables.records import Record

DAY = 86_400
RECENT = (-20 * DAY, 0)
BIRTHS = (-80 * 365 * DAY, -18 * 365 * DAY)
NULLS = 4
"""One in so many optional cells is null."""
LONGEST = 3
"""Generated lists have one to so many items."""

Fill = Callable[[Keys], list[Any]]
"""The cells of one field for some rows."""


class Ground(NamedTuple):
    """What all cells of a world depend on: its seed, when its clock starts, and the ids of all rows by record."""

    seed: int
    start: datetime
    ids: Mapping[str, Sequence[Any]]


def column(record: Record, name: str, ground: Ground) -> Fill:
    """What fills the field `name` of `record`."""
    if name == record.lifecycle.version:
        return lambda keys: [FIRST_VERSION] * len(keys.texts)
    return _Column(record, ground).cells(record.fields[name], name, (name,))


class _Column:
    def __init__(self, record: Record, ground: Ground) -> None:
        self._record = record
        self._ground = ground

    def cells(self, kind: FieldType, name: str, path: tuple[str | int, ...]) -> Fill:
        """What fills cells of `kind`; `path` leads to them within the row, `name` is the name that hints at them."""
        numbered = Cells(self._ground.seed, self._record.name, path)
        filled = self._filled(kind, name, path, numbered)
        if not kind.optional:
            return filled

        def fill(keys: Keys) -> list[Any]:
            there = [number % NULLS for number in numbered.numbers(keys, "null")]
            values = iter(filled(keys.only(there)))
            return [next(values) if known else None for known in there]

        return fill

    def _filled(self, kind: FieldType, name: str, path: tuple[str | int, ...], numbered: Cells) -> Fill:
        if isinstance(kind, MappingType):
            inner = {part: self.cells(sort, part, (*path, part)) for part, sort in kind.fields.items()}
            return lambda keys: _rows(inner, keys)
        if isinstance(kind, ListType):
            return self._lists(kind, name, path, numbered)
        if isinstance(kind, RefType):
            pool = self._ground.ids[kind.target]
            size = len(pool)
            if not size:
                return lambda keys: [None] * len(keys.texts)
            return lambda keys: [pool[number % size] for number in numbered.numbers(keys)]
        if isinstance(kind, DatetimeType | DateType):
            return self._moments(kind, name, numbered)
        if isinstance(kind, UnreadType):
            return lambda keys: [None] * len(keys.texts)
        if isinstance(kind, StrType) and _hint(kind, self._record, name) in cells.PERSONAL:
            numbered = Cells(self._ground.seed, self._record.name, (*path[:-1], "person", cells.person(name)))
        filler = _filler(kind, self._record, name)
        return lambda keys: list(map(filler, numbered.numbers(keys), keys.texts))

    def _lists(self, kind: ListType, name: str, path: tuple[str | int, ...], numbered: Cells) -> Fill:
        if isinstance(kind.item, RefType) and not self._ground.ids[kind.item.target]:
            return lambda keys: [[] for _ in keys.texts]
        places = [self.cells(kind.item, name, (*path, place)) for place in range(LONGEST)]

        def fill(keys: Keys) -> list[Any]:
            lengths = [1 + number % LONGEST for number in numbered.numbers(keys, "length")]
            lists: list[list[Any]] = [[] for _ in lengths]
            for place, items in enumerate(places):
                longer = [length > place for length in lengths]
                values = iter(items(keys.only(longer)))
                for there, found in zip(longer, lists, strict=True):
                    if there:
                        found.append(next(values))
            return lists

        return fill

    def _moments(self, kind: DatetimeType | DateType, name: str, numbered: Cells) -> Fill:
        start = self._ground.start
        usual = BIRTHS if "birth" in name.lower() or name.lower() == "dob" else RECENT
        low = kind.low if kind.low is not None else min(usual[0], kind.high if kind.high is not None else usual[0])
        high = kind.high if kind.high is not None else max(usual[1], low)
        step = 1 if isinstance(kind, DatetimeType) else DAY
        count = int((high - low) // step) + 1
        first = start + timedelta(seconds=low)
        if isinstance(kind, DatetimeType):
            return lambda keys: [first + timedelta(0, number % count) for number in numbered.numbers(keys)]
        return lambda keys: [(first + timedelta(number % count)).date() for number in numbered.numbers(keys)]


def _rows(inner: Mapping[str, Fill], keys: Keys) -> list[Any]:
    if not inner:
        return [{} for _ in keys.texts]
    names = tuple(inner)
    return [
        dict(zip(names, values, strict=True)) for values in zip(*(fill(keys) for fill in inner.values()), strict=True)
    ]


def names_of(record: Record, name: str) -> str | None:
    """The field with the name of the person whose e-mail address or user name the field `name` holds."""
    for other, kind in record.fields.items():
        if (
            isinstance(kind, StrType)
            and _hint(kind, record, other) == "name"
            and cells.person(other) == cells.person(name)
        ):
            return other
    return None


def made_of(record: Record, name: str, given: Any, key: str) -> str | None:
    """What goes with the name of a person that a row was given, or None."""
    kind = record.fields[name]
    return cells.made_of(_hint(kind, record, name), given, key) if isinstance(kind, StrType) else None


def _hint(kind: StrType, record: Record, name: str) -> str:
    return kind.hint or cells.meaning("str", record.short, name) or "word"


def _filler(kind: FieldType, record: Record, name: str) -> cells.Filler:
    if isinstance(kind, EnumType):
        return cells.pick(list(kind.members))
    if isinstance(kind, BoolType):
        return lambda number, _key: number % 2 == 0
    if isinstance(kind, StrType):
        return cells.HINTS["str"][_hint(kind, record, name)]
    assert isinstance(kind, IntType | FloatType | DecimalType), kind  # noqa: S101 - no other type is left
    return _number(kind, record, name)


def _number(kind: IntType | FloatType | DecimalType, record: Record, name: str) -> cells.Filler:
    word = {IntType: "int", FloatType: "float", DecimalType: "decimal"}[type(kind)]
    if kind.low is None and kind.high is None:
        hint = kind.hint or cells.meaning(word, record.short, name)
        if hint:
            return cells.HINTS[word][hint]
    low, high = kind.low, kind.high
    low = low if low is not None else min(0, high - 1000) if high is not None else 0
    high = high if high is not None else low + 1000
    if isinstance(kind, IntType):
        return cells.whole(int(low), int(high))
    if isinstance(kind, FloatType):
        return cells.real(float(low), float(high), above=kind.above, below=kind.below)
    return cells.exact(Decimal(low), Decimal(high), above=kind.above, below=kind.below)
