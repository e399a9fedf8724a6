"""The rows a world starts with: fixed ones from the file or from data files, the rest generated.

Every generated cell is keyed one by one by (seed, record, id, field), so adding a field or a row changes no other cell,
and the same file and seed give the same bytes on any day and in any process. References point at rows that exist, also
of records declared further down. Fields are filled one after the other, each for all rows, which is what makes large
tables quick. Knows no file positions: `SeedProblem` says which fixed row and field is wrong.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from squall.errors import nearest, shown
from squall.worlds.fields.compound import RefType
from squall.worlds.fields.types import FieldType, Unfit
from squall.worlds.seeds.columns import Ground, column, made_of, names_of
from squall.worlds.seeds.keyed import Keys
from squall.worlds.tables.base import Base
from squall.worlds.tables.nearmiss import MANY
from squall.worlds.tables.records import Record
from squall.worlds.tables.rows import Stored

MOST = 20
"""So many problems of one field are told; the rest is counted."""
REMEMBERED = 10_000
"""So many texts of one column are looked at once, however often they are there."""


class Missing:
    """Stands for a cell that a fixed row does not give."""


MISSING = Missing()


@dataclass(frozen=True)
class Plan:
    """What one record starts with: fixed rows, those of a data file after them, and how many rows there are in all.

    `columns` are the cells of the data file by field, `size` for each that it has.
    """

    record: Record
    fixed: tuple[Mapping[str, Any], ...] = ()
    count: int = 0
    columns: Mapping[str, Sequence[Any]] = field(default_factory=dict, repr=False)
    size: int = 0

    def given(self, name: str) -> list[Any]:
        """The cells of a field in all fixed rows."""
        cells = [row.get(name, MISSING) for row in self.fixed]
        cells += self.columns.get(name) or [MISSING] * self.size
        return cells


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
    for plan in plans:
        ids.assign(plan, problems)
    ground = Ground(seed, start, ids.of)
    bases: dict[str, Base] = {}
    for plan in plans:
        record = plan.record
        problems += _unknown(plan)
        keys = ids.of[record.name] if generate else ids.of[record.name][: len(plan.fixed) + plan.size]
        rows = _table(plan, keys, ground, ids, problems)
        problems += [_pointless(record, name, kind) for name, kind in _dangling(record, ids) if ids.of[record.name]]
        bases[record.name] = Base(record, rows, ids.following[record.name])
    return bases, problems


class _Ids:
    """All ids, settled before the first cell: they answer whether a row exists (`types.Rows`)."""

    def __init__(self) -> None:
        self.of: dict[str, list[Any]] = {}
        self.following: dict[str, int] = {}
        self._sets: dict[str, set[Any]] = {}

    def assign(self, plan: Plan, problems: list[SeedProblem]) -> None:
        """Gives every row of `plan` its id."""
        record = plan.record
        kind = record.fields["id"]
        taken: set[Any] = set()
        given: list[Any] = []
        found = _Found(record, "id", problems)
        for position, key in enumerate(plan.given("id")):
            if key is MISSING or key is None:
                given.append(None)
                continue
            try:
                key = kind.check(key)
            except Unfit as unfit:
                found.add(position, unfit)
                key = None
            if key is not None and key in taken:
                found.add(position, Unfit(f"{shown(key)} is taken by another row"))
                key = None
            if key is not None:
                taken.add(key)
            given.append(key)
        found.end()
        number = 1
        ids: list[Any] = []
        for position in range(max(plan.count, len(given))):
            key = given[position] if position < len(given) else None
            while key is None:
                candidate = record.key(number)
                number += 1
                key = None if candidate in taken else candidate
            ids.append(key)
        while record.key(number) in taken:  # here, once for all runs
            number += 1
        self.of[record.name] = ids
        self.following[record.name] = number

    def has(self, target: str, key: Any) -> bool:
        known = self._sets.get(target)
        if known is None:
            known = self._sets[target] = set(self.of[target])
        return key in known

    def near(self, target: str, key: Any) -> str | None:
        return nearest(key, self.of[target][:MANY])


class _Found:
    """The problems of one field: some are told, the rest is counted."""

    def __init__(self, record: Record, name: str, problems: list[SeedProblem]) -> None:
        self._record = record
        self._name = name
        self._problems = problems
        self._count = 0
        self._next = 0

    def add(self, position: int, unfit: Unfit) -> None:
        """A cell that does not fit."""
        self._count += 1
        if self._count <= MOST:
            message = Unfit(unfit.message, path=unfit.path).said(self._name)
            path = (self._name, *unfit.path)
            self._problems.append(SeedProblem(self._record, message, unfit.near, position, path))
        elif self._count == MOST + 1:
            self._next = position

    def end(self) -> None:
        """All cells have been seen."""
        more = self._count - MOST
        if more > 0:
            message = f"{self._name}: of this row and {more - 1} more it does not fit either"
            self._problems.append(SeedProblem(self._record, message, None, self._next, (self._name,)))


def _table(plan: Plan, ids: list[Any], ground: Ground, rows: _Ids, problems: list[SeedProblem]) -> dict[Any, Stored]:
    record = plan.record
    keys = Keys(list(map(str, ids)))
    columns = [
        ids if name == "id" else _column(plan, name, kind, keys, ground, rows, problems)
        for name, kind in record.fields.items()
    ]
    names = tuple(record.fields)
    id_at = names.index("id")
    return {cells[id_at]: dict(zip(names, cells, strict=True)) for cells in zip(*columns, strict=True)}


def _column(
    plan: Plan, name: str, kind: FieldType, keys: Keys, ground: Ground, rows: _Ids, problems: list[SeedProblem]
) -> list[Any]:
    """All cells of one field: given ones as they are stored, the rest generated, or null where that is allowed."""
    given = plan.given(name)
    fill = column(plan.record, name, ground)
    if not given:
        return fill(keys)
    found = _Found(plan.record, name, problems)
    check = kind.check
    known: dict[str, Any] = {}  # what texts come to: most columns have few that differ
    holes = [False] * len(given)
    for position, value in enumerate(given):
        if value is MISSING:
            holes[position], given[position] = not kind.optional, None
            continue
        is_text = type(value) is str
        if is_text and value in known:
            given[position] = known[value]
            continue
        try:
            checked = given[position] = check(value, rows)
        except Unfit as unfit:
            given[position] = None
            found.add(position, unfit)
        else:
            if is_text and len(known) < REMEMBERED:
                known[value] = checked
    found.end()
    holes += [True] * (len(keys.texts) - len(given))
    given += [None] * (len(keys.texts) - len(given))
    if True not in holes:
        return given
    values = iter(fill(keys.only(holes)))
    cells = [next(values) if hole else value for hole, value in zip(holes, given, strict=True)]
    called = names_of(plan.record, name)
    for position, person in enumerate(plan.given(called)) if called is not None and called != name else ():
        if holes[position] and cells[position] is not None:
            cells[position] = made_of(plan.record, name, person, keys.texts[position]) or cells[position]
    return cells


def _unknown(plan: Plan) -> list[SeedProblem]:
    """Fields of fixed rows that the record does not have."""
    record = plan.record
    return [
        SeedProblem(
            record,
            f"{record.short} has no field {shown(name)}" + ("" if near else f"; {record.listed}"),
            near,
            position,
            (name,),
        )
        for position, row in enumerate(plan.fixed)
        for name in row
        if name not in record.fields
        for near in [nearest(name, record.fields)]
    ]


def _dangling(record: Record, ids: _Ids) -> list[tuple[str, RefType]]:
    """References that must point at a row of a record which has none."""
    refs = [(name, kind) for name, kind in record.fields.items() if isinstance(kind, RefType) and not kind.optional]
    return [(name, kind) for name, kind in refs if not ids.of[kind.target]]


def _pointless(record: Record, name: str, kind: RefType) -> SeedProblem:
    message = f"{record.name} has rows whose {name!r} must refer to {kind.target}, which has none"
    return SeedProblem(record, message, path=(name,))
