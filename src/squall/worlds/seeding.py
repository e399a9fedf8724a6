"""The rows a world starts with: fixed ones from the file, the rest generated.

Every generated cell is keyed one by one by (seed, record, id, field), so adding a field or a row changes no other cell,
and the same file and seed give the same bytes on any day and in any process. References point at rows that exist, also
of records declared further down. Knows no file positions: `SeedProblem` says which fixed row and field is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any

from squall.canonical import integer
from squall.errors import nearest, shown
from squall.worlds import cells
from squall.worlds.base import Base
from squall.worlds.compound import ListType, MappingType, RefType
from squall.worlds.lifecycle import FIRST_VERSION
from squall.worlds.records import Record
from squall.worlds.types import (
    BoolType,
    DatetimeType,
    DateType,
    DecimalType,
    EnumType,
    FieldType,
    FloatType,
    IntType,
    StrType,
    Unfit,
    UnreadType,
)

DAY = 86_400
RECENT = (-20 * DAY, 0)
BIRTHS = (-80 * 365 * DAY, -18 * 365 * DAY)
NULLS = 4
"""One in so many optional cells is null."""
LONGEST = 3
"""Generated lists have one to so many items."""


@dataclass(frozen=True)
class Plan:
    """What one record starts with: fixed rows as the file gives them, and how many rows there are in all."""

    record: Record
    fixed: tuple[Mapping[str, Any], ...] = ()
    count: int = 0


class SeedProblem(ValueError):
    """A fixed row that does not fit, or a reference that has nothing to point at."""

    def __init__(
        self,
        record: Record,
        message: str,
        near: str | None = None,
        row: int | None = None,
        path: tuple[str | int, ...] = (),
    ) -> None:
        super().__init__(message)
        self.record = record
        self.message = message
        self.near = near
        self.row = row
        self.path = path


def seed_rows(
    plans: Sequence[Plan], seed: int, start: datetime, *, generate: bool = True
) -> tuple[dict[str, Base], list[SeedProblem]]:
    """The seeded rows by record, and all that is wrong with them; without `generate` only the fixed ones are made."""
    problems: list[SeedProblem] = []
    ids = _Ids()
    fixed_ids = {plan.record.name: ids.assign(plan, problems) for plan in plans}
    bases: dict[str, Base] = {}
    for plan in plans:
        record = plan.record
        fill = _fillers(record, seed, start, ids)
        rows: dict[Any, dict[str, Any]] = {}
        for position, (key, given) in enumerate(zip(fixed_ids[record.name], plan.fixed, strict=True)):
            rows[key] = _fixed(plan, position, key, given, fill, ids, problems)
        for key in ids.of[record.name][len(plan.fixed) :] if generate else ():
            text = str(key)
            rows[key] = {name: key if filler is None else filler(text) for name, filler in fill.items()}
        problems += [_pointless(record, name, kind) for name, kind in _dangling(record, ids) if ids.of[record.name]]
        bases[record.name] = Base(record, rows, ids.following[record.name])
    return bases, problems


class _Ids:
    """All ids, settled before the first cell: they answer whether a row exists (`types.Rows`)."""

    def __init__(self) -> None:
        self.of: dict[str, list[Any]] = {}
        self.following: dict[str, int] = {}
        self._sets: dict[str, set[Any]] = {}

    def assign(self, plan: Plan, problems: list[SeedProblem]) -> list[Any]:
        """Gives every row of `plan` its id; returns those of the fixed rows."""
        record = plan.record
        taken: set[Any] = set()
        given: list[Any] = []
        for position, row in enumerate(plan.fixed):
            key = row.get("id")
            try:
                key = None if key is None else record.fields["id"].check(key)
            except Unfit as unfit:
                problems.append(SeedProblem(record, unfit.said("id"), unfit.near, position, ("id",)))
                key = None
            if key is not None and key in taken:
                message = f"id: {shown(key)} is taken by another row"
                problems.append(SeedProblem(record, message, None, position, ("id",)))
                key = None
            if key is not None:
                taken.add(key)
            given.append(key)
        number = 1
        total = max(plan.count, len(plan.fixed))
        ids: list[Any] = []
        for position in range(total):
            key = given[position] if position < len(given) else None
            while key is None:
                candidate = record.key(number)
                number += 1
                key = None if candidate in taken else candidate
            ids.append(key)
        self.of[record.name] = ids
        self._sets[record.name] = set(ids)
        self.following[record.name] = number
        return ids[: len(plan.fixed)]

    def has(self, target: str, key: Any) -> bool:
        return key in self._sets[target]

    def near(self, target: str, key: Any) -> str | None:
        return nearest(key, self.of[target][:1000])


Cell = Callable[[str], Any]
"""Fills one cell, given the row's id as text."""


def _fillers(record: Record, seed: int, start: datetime, ids: _Ids) -> dict[str, Cell | None]:
    """What fills each field of a row; None for the id."""
    fill: dict[str, Cell | None] = {}
    for name, kind in record.fields.items():
        if name == record.lifecycle.version:
            fill[name] = lambda _row: FIRST_VERSION
            continue
        fill[name] = None if name == "id" else _cell(kind, record, name, (seed, record.name, name), start, ids)
    return fill


def _cell(kind: FieldType, record: Record, name: str, key: tuple[str | int, ...], start: datetime, ids: _Ids) -> Cell:
    seed, owner, *path = key

    def number(row: str, *more: str | int) -> int:
        return integer(seed, owner, row, *path, *more)

    filled = _filled(kind, record, name, number, key, start, ids)
    if not kind.optional:
        return filled
    return lambda row: None if number(row, "null") % NULLS == 0 else filled(row)


def _filled(
    kind: FieldType,
    record: Record,
    name: str,
    number: Callable[..., int],
    key: tuple[str | int, ...],
    start: datetime,
    ids: _Ids,
) -> Cell:
    if isinstance(kind, MappingType):
        inner = {part: _cell(sort, record, part, (*key, part), start, ids) for part, sort in kind.fields.items()}
        return lambda row: {part: cell(row) for part, cell in inner.items()}
    if isinstance(kind, ListType):
        if isinstance(kind.item, RefType) and not ids.of[kind.item.target]:
            return lambda _row: []
        items = [_cell(kind.item, record, name, (*key, place), start, ids) for place in range(LONGEST)]
        return lambda row: [item(row) for item in items[: 1 + number(row, "length") % LONGEST]]
    if isinstance(kind, RefType):
        pool = ids.of[kind.target]
        return lambda row: pool[number(row) % len(pool)] if pool else None
    if isinstance(kind, DatetimeType | DateType):
        return _moments(kind, name, number, start)
    if isinstance(kind, UnreadType):
        return lambda _row: None
    filler = _filler(kind, record, name)
    return lambda row: filler(number(row), row)


def _moments(kind: DatetimeType | DateType, name: str, number: Callable[..., int], start: datetime) -> Cell:
    usual = BIRTHS if "birth" in name.lower() or name.lower() == "dob" else RECENT
    low = kind.low if kind.low is not None else min(usual[0], kind.high if kind.high is not None else usual[0])
    high = kind.high if kind.high is not None else max(usual[1], low)
    step = 1 if isinstance(kind, DatetimeType) else DAY
    count = int((high - low) // step) + 1
    if isinstance(kind, DatetimeType):
        return lambda row: start + timedelta(seconds=low + number(row) % count)
    return lambda row: (start + timedelta(seconds=low + number(row) % count * DAY)).date()


def _filler(kind: FieldType, record: Record, name: str) -> cells.Filler:
    if isinstance(kind, EnumType):
        return cells.pick(list(kind.members))
    if isinstance(kind, BoolType):
        return lambda number, _key: number % 2 == 0
    if isinstance(kind, StrType):
        return cells.HINTS["str"][kind.hint or cells.meaning("str", record.short, name) or "word"]
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
        return cells.real(float(low), float(high))
    return cells.exact(Decimal(low), Decimal(high))


def _fixed(
    plan: Plan,
    position: int,
    key: Any,
    given: Mapping[str, Any],
    fill: Mapping[str, Cell | None],
    ids: _Ids,
    problems: list[SeedProblem],
) -> dict[str, Any]:
    """A row of the file: what it leaves out is generated, or null where that is allowed."""
    record = plan.record
    for name in given:
        if name not in record.fields:
            near = nearest(name, record.fields)
            message = f"{record.short} has no field {shown(name)}; it has {', '.join(record.fields)}"
            problems.append(SeedProblem(record, message, near, position, (name,)))
    row: dict[str, Any] = {}
    for name, kind in record.fields.items():
        filler = fill[name]
        if filler is None:
            row[name] = key
        elif name not in given:
            row[name] = None if kind.optional else filler(str(key))
        else:
            row[name] = None
            try:
                row[name] = kind.check(given[name], ids)
            except Unfit as unfit:
                bare = Unfit(unfit.message, path=unfit.path)
                problems.append(SeedProblem(record, bare.said(name), unfit.near, position, (name, *unfit.path)))
    return row


def _dangling(record: Record, ids: _Ids) -> list[tuple[str, RefType]]:
    """References that must point at a row of a record which has none."""
    refs = [(name, kind) for name, kind in record.fields.items() if isinstance(kind, RefType) and not kind.optional]
    return [(name, kind) for name, kind in refs if not ids.of[kind.target]]


def _pointless(record: Record, name: str, kind: RefType) -> SeedProblem:
    message = f"{record.name} has rows whose {name!r} must refer to {kind.target}, which has none"
    return SeedProblem(record, message, path=(name,))
