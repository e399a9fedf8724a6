"""Handlers written for faultbench 0.1, called as they expect it: the same `func(world, clock, **args)`, other values.

There moments are texts without a zone and the clock is naive, a row follows later writes and may be assigned to, `pick`
finds nothing as None and `delete` says whether there was something. Transactions, checks of writes and refusals stay
squall's. How world files of faultbench are told apart is the business of `documents.faultbench`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from squall.errors import is_weather
from squall.worlds.fields.types import EnumType, StrType
from squall.worlds.tables.refusals import InvalidRow, NoSuchRow
from squall.worlds.tables.rows import Row
from squall.worlds.tables.table import Table

__tracebackhide__ = is_weather

Handler = Callable[..., Any]


def adapted(handler: Handler) -> Handler:
    """`handler` as a handler of squall. An async one is none of faultbench's, and stays what it is."""
    if not inspect.isfunction(handler) or inspect.iscoroutinefunction(handler):
        return handler

    @functools.wraps(handler)
    def called(world: Any, clock: Any, **args: Any) -> Any:
        return handler(WorldView(world), ClockView(clock), **{name: _naive(value) for name, value in args.items()})

    return called


class _View:
    """Something of squall's behind a few members of faultbench's; the others are its own."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._real, name)

    def __repr__(self) -> str:
        return repr(self._real)


class ClockView(_View):
    """The run's clock, without zones."""

    def now(self) -> datetime:
        """The moment, in UTC but naive."""
        now: datetime = self._real.now()
        return now.replace(tzinfo=None)


class WorldView(_View):
    """A world whose tables are faultbench's."""

    def table(self, name: str) -> TableView:
        """The table of the record `name`."""
        return TableView(self._real[name])

    __getitem__ = table

    def __getattr__(self, name: str) -> Any:
        found = super().__getattr__(name)
        return TableView(found) if isinstance(found, Table) else found


class TableView(_View):
    """A table whose rows are `LiveRow`s."""

    def get(self, id: Any) -> LiveRow | None:
        """The row with this id, or None."""
        row = self._real.get(id)
        return None if row is None else LiveRow(self._real, row)

    def all(self) -> list[LiveRow]:
        """All rows."""
        return [LiveRow(self._real, row) for row in self._real.all()]

    def where(self, **eq: Any) -> list[LiveRow]:
        """The rows with these values; none if no row can have them."""
        try:
            return [LiveRow(self._real, row) for row in self._real.where(**eq)]
        except InvalidRow:
            return []

    def pick(self, **eq: Any) -> LiveRow | None:
        """The first row with these values, or None."""
        return next(iter(self.where(**eq)), None)

    def insert(self, record: Mapping[str, Any] | None = None, /, **fields: Any) -> LiveRow:
        """Add a row."""
        return LiveRow(self._real, self._real.insert(self._written({**(record or {}), **fields})))

    def update(self, id: Any, **fields: Any) -> LiveRow:
        """Change fields of a row. Raises KeyError if there is none."""
        try:
            return LiveRow(self._real, self._real.update(id, self._written(fields)))
        except NoSuchRow as missing:
            raise KeyError(missing.brief) from missing

    def delete(self, id: Any) -> bool:
        """Remove a row; whether there was one."""
        found = id in self._real
        if found:
            self._real.delete(id)
        return found

    def _written(self, fields: Mapping[str, Any]) -> dict[str, Any]:
        """`fields` without the empty texts that stand for no moment and no reference."""
        kinds = self._real.record.fields
        return {
            name: value
            for name, value in fields.items()
            if value or not isinstance(value, str) or isinstance(kinds.get(name), StrType | EnumType)
        }

    def __getitem__(self, id: Any) -> LiveRow:
        return LiveRow(self._real, self._real[id])

    def __iter__(self) -> Iterator[LiveRow]:
        return iter(self.all())

    def __len__(self) -> int:
        return len(self._real)

    def __contains__(self, id: Any) -> bool:
        return id in self._real

    def __bool__(self) -> bool:
        return True


class LiveRow(Mapping[str, Any]):
    """A row that shows what its table holds now (or what it was, once it is deleted). Setting a field is an update."""

    __slots__ = ("_last", "_table")
    _last: Row
    _table: Table

    def __init__(self, table: Table, row: Row) -> None:
        object.__setattr__(self, "_table", table)
        object.__setattr__(self, "_last", row)

    def _now(self) -> Row:
        row = self._table.get(self._last["id"])
        if row is not None:
            object.__setattr__(self, "_last", row)
        return self._last

    def __getitem__(self, name: str) -> Any:
        return _as_text(self._now()[name])

    def __getattr__(self, name: str) -> Any:
        return _as_text(getattr(self._now(), name))

    def __setitem__(self, name: str, value: Any) -> None:
        TableView(self._table).update(self._last["id"], **{name: value})

    __setattr__ = __setitem__

    def __copy__(self) -> Row:
        """The row as it is now, which later writes leave alone."""
        return Row(self.to_dict())

    def __deepcopy__(self, memo: object) -> Row:
        return self.__copy__()

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a field, or `default` where it has none."""
        value = self._now().get(key)
        return default if value is None else _as_text(value)

    def to_dict(self) -> dict[str, Any]:
        """The values, to be changed at will."""
        return {name: _as_text(value) for name, value in self._now().to_dict().items()}

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and self._now().get(key) is not None

    def __iter__(self) -> Iterator[str]:
        return iter(self._now())

    def __len__(self) -> int:
        return len(self._now())

    def __repr__(self) -> str:
        return repr(self._now())


class Moment(str):
    """A moment as faultbench has it: ISO 8601 text without a zone, in UTC.

    One may also reckon with it as with the datetime that it is, as handlers do that were written for squall.
    """

    __slots__ = ()

    @property
    def moment(self) -> datetime:
        """The datetime, naive."""
        return datetime.fromisoformat(self)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.moment, name)

    def __sub__(self, other: Any) -> Any:
        return self.moment - _moment(other)

    def __rsub__(self, other: Any) -> Any:
        return other - self.moment

    def __add__(self, other: Any) -> Any:
        return super().__add__(other) if isinstance(other, str) else self.moment + other

    def __lt__(self, other: Any) -> bool:
        return self.moment < other if isinstance(other, datetime) else super().__lt__(other)

    def __le__(self, other: Any) -> bool:
        return self.moment <= other if isinstance(other, datetime) else super().__le__(other)

    def __gt__(self, other: Any) -> bool:
        return self.moment > other if isinstance(other, datetime) else super().__gt__(other)

    def __ge__(self, other: Any) -> bool:
        return self.moment >= other if isinstance(other, datetime) else super().__ge__(other)


def _naive(value: Any) -> Any:
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


def _moment(value: Any) -> Any:
    return value.moment if isinstance(value, Moment) else value


def _as_text(value: Any) -> Any:
    return Moment(_naive(value).isoformat()) if isinstance(value, datetime) else value
