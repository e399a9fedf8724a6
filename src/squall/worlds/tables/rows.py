"""A row as tests and handlers see it: `row.status`, `row["status"]`, read-only, unchanged by later writes.

Tables replace a stored row on every write, so a `Row` can hold the stored one itself; nested values are handed out as
copies. Knows which table a row came from only to say so.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from operator import itemgetter
from typing import Any, NoReturn

from squall.errors import is_weather, no_attribute, shown, suggestion
from squall.worlds.tables.words import said

__tracebackhide__ = is_weather


class Row(Mapping[str, Any]):
    """A read-only copy of one row. Equal to a mapping with the same values.

    A field named like one of these methods (`items`, `get`) is what `row.items` means; the methods serve the others.
    """

    __slots__ = ("_data", "_origin")
    _data: dict[str, Any]
    _origin: Any

    def __init__(self, data: dict[str, Any], origin: Any = None) -> None:
        _set_data(self, data)
        _set_origin(self, origin)

    def __getattr__(self, name: str) -> Any:
        try:
            value = self._data[name]
        except KeyError:
            raise no_attribute(self._without(name), name) from None
        return value if value.__class__ in _FLAT else _view(value)

    def __getitem__(self, name: str) -> Any:
        try:
            value = self._data[name]
        except (KeyError, TypeError):
            __tracebackhide__ = True
            raise KeyError(self._without(name)) from None
        return value if value.__class__ in _FLAT else _view(value)

    def __iter__(self) -> Iterator[str]:
        return iter(self._data)

    def __len__(self) -> int:
        return len(self._data)

    def __contains__(self, name: object) -> bool:
        return name in self._data

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Row):
            return self._data == other._data
        return self._data == other if isinstance(other, Mapping) else NotImplemented

    __hash__ = None  # type: ignore[assignment]  # equal to a dict, so no more hashable than one

    def __repr__(self) -> str:
        name = self._origin.record.short if self._origin is not None else "row"
        return f"{name}({', '.join(f'{field}={said(value)}' for field, value in self._data.items())})"

    def __setattr__(self, name: str, value: Any) -> NoReturn:
        raise no_attribute(self._read_only(name, value), name)

    def __delattr__(self, name: str) -> NoReturn:
        raise no_attribute(self._read_only(name, None), name)

    def __setitem__(self, name: str, value: Any) -> NoReturn:
        raise TypeError(self._read_only(name, value))

    def __delitem__(self, name: str) -> NoReturn:
        raise TypeError(self._read_only(name, None))

    def __copy__(self) -> Row:
        return self

    def __deepcopy__(self, memo: object) -> Row:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return (Row, (self._data,))  # a row that travels (to another process) leaves its table behind

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self._data})

    def to_dict(self) -> dict[str, Any]:
        """A mutable deep copy of the values."""
        return {name: _plain(value) for name, value in self._data.items()}

    def _without(self, name: object) -> str:
        owner = self._origin.record.name if self._origin is not None else "this row"
        tail = suggestion(name, self._data, f"it has {', '.join(self._data)}")
        return f"{owner} has no field {shown(name)}; {tail}"

    def _read_only(self, name: str, value: Any) -> str:
        if self._origin is None:
            return f"rows are read-only copies, {name} cannot be set here"
        return (
            f"rows are read-only copies: write with "
            f"world[{self._origin.record.name!r}].update({self._data['id']!r}, {name}={shown(value)})"
        )


Stored = dict[str, Any]
"""A row as tables keep it; replaced on every write, never changed."""

_set_data = Row.__dict__["_data"].__set__
_set_origin = Row.__dict__["_origin"].__set__
_FLAT = frozenset({str, int, float, bool, type(None)})


def row_class(fields: Mapping[str, Any]) -> type[Row]:
    """`Row`, or a subclass in which the fields that are named like a method of it win."""
    clashes = [name for name in fields if hasattr(Row, name)]
    if not clashes:
        return Row
    members = {name: property(itemgetter(name)) for name in clashes}
    return type("Row", (Row,), {"__slots__": (), **members})


def raw(row: Row) -> dict[str, Any]:
    """The stored values behind `row`; not to be changed."""
    return row._data  # noqa: SLF001 - the room's own door


def origin(row: Row) -> Any:
    """The table that `row` came from, or None."""
    return row._origin  # noqa: SLF001 - the room's own door


def _view(value: Any) -> Any:
    """A nested value as a reader may have it: mappings read-only, lists copied."""
    if isinstance(value, dict):
        return Row(value)
    if isinstance(value, list):
        return [_view(item) for item in value]
    return value


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, list) else value
