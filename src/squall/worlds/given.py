"""What properties are given, held against what they take: what is none of it is said at once, with what to give.

Knows tables, rows and worlds; judges nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from squall.errors import UsageError, is_weather, shown, suggestion
from squall.worlds.tables.diffs import Snapshot
from squall.worlds.tables.rows import Row
from squall.worlds.tables.table import Table
from squall.worlds.world import World

__tracebackhide__ = is_weather

By = str | Sequence[str] | Callable[[Any], Any]


def rows(property_: str, given: Any, by: By) -> list[Any]:
    """The rows, each of which has what `by` asks for."""
    if isinstance(given, Table):
        _known(fields(property_, by), given)
        return list(given)
    if isinstance(given, World | str | bytes | Mapping) or not isinstance(given, Iterable):
        raise UsageError(
            f"{property_}: {shown(given)} is no list of rows: give a table (world.orders), or rows of it "
            "(world.orders.where(…))"
        )
    names = fields(property_, by)
    found = list(given)
    for row in found:
        for name in names:
            _has(property_, row, name)
    return found


def fields(property_: str, by: Any) -> tuple[str, ...]:
    """The names of fields in `by`; none where it is a function."""
    if callable(by):
        return ()
    names = (by,) if isinstance(by, str) else by
    if not isinstance(names, Sequence) or not names or not all(isinstance(name, str) for name in names):
        raise UsageError(
            f"{property_}: by={shown(by)} names no field: give by='order', by=('order', 'amount') or a function"
        )
    return tuple(names)


def values(property_: str, of: Any) -> list[Any]:
    """The values that each are to occur."""
    if isinstance(of, str | bytes | Mapping) or not isinstance(of, Iterable):
        raise UsageError(f"{property_}: of={shown(of)} is no list of values: give of=[{shown(of)}]")
    return list(of)


def table(property_: str, given: Any) -> Table:
    """A table."""
    if not isinstance(given, Table):
        near = f"world[{given!r}]" if isinstance(given, str) else "world.orders"
        raise UsageError(f"{property_}: {shown(given)} is no table: give one of the world's, as {near}")
    return given


def world(property_: str, given: Any) -> World:
    """A world."""
    if not isinstance(given, World):
        raise UsageError(f"{property_}: {shown(given)} is no world: give the fixture world, or run.world")
    return given


def snapshot(property_: str, given: Any) -> Snapshot:
    """What `world.snapshot()` gave."""
    if not isinstance(given, Mapping) or not all(isinstance(rows, Mapping) for rows in given.values()):
        raise UsageError(f"{property_}: {shown(given)} is no snapshot: give what world.snapshot() returned before")
    return given


def names(property_: str, given: Any) -> list[str]:
    """Names of tables and fields."""
    found = [given] if isinstance(given, str) else list(given) if isinstance(given, Iterable) else [given]
    if not all(isinstance(name, str) for name in found):
        raise UsageError(
            f"{property_}: except_={shown(given)} names no tables or fields: give except_=['refunds', 'order.status']"
        )
    return found


def _known(wanted: Iterable[str], given: Table) -> None:
    """A misspelt field must not pass because the table happens to be empty."""
    record = given.record
    for name in wanted:
        if name not in record.fields:
            tail = suggestion(name, record.fields, record.listed)
            raise UsageError(f"by={name!r}: {record.name} has no field {name!r}; {tail}")


def _has(property_: str, row: Any, name: str) -> None:
    if isinstance(row, Mapping):
        try:
            row[name]
        except KeyError as error:
            why = error.args[0] if isinstance(row, Row) else "a row has no such key"
            raise UsageError(f"by={name!r}: {why}") from None
    elif not hasattr(row, name):
        raise UsageError(f"{property_}: {shown(row)} is no row: it has no {name!r}; give a table, or rows of it")
