"""Properties: what must hold for a world's end state, each an assertion that shows the rows, their effects, the calls.

Plain functions that raise AssertionError, so that they stand in a test's body or in `squall.finally_`. Know tables,
rows and the ledger; nothing of tests.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Hashable, Iterable, Mapping
from decimal import MAX_EMAX, MAX_PREC, MIN_EMIN, Context, Decimal, localcontext
from typing import Any

from squall.errors import UsageError, is_weather, shown, suggestion
from squall.worlds import given
from squall.worlds.fields.numeric import DecimalType, FloatType, IntType
from squall.worlds.given import By
from squall.worlds.tables import words
from squall.worlds.tables.diffs import Snapshot
from squall.worlds.tables.ledger import Effect
from squall.worlds.tables.records import Record
from squall.worlds.tables.rows import Row, origin, raw
from squall.worlds.tables.table import Table
from squall.worlds.tables.words import brief, said
from squall.worlds.world import World

__tracebackhide__ = is_weather

SHOWN = 5
"""So many offending groups or rows are shown; the rest is counted."""
CLOSE = 1e-9
EXACT = Context(prec=MAX_PREC, Emax=MAX_EMAX, Emin=MIN_EMIN)
"""Sums of decimals keep all their digits, whatever the context of whoever asks."""


def at_most_once(rows: Iterable[Any], by: By) -> None:
    """No two of `rows` (a table, or what `where` gave) have the same value of `by`: a field, several, or a function."""
    __tracebackhide__ = True
    groups = _grouped(given.rows("at_most_once", rows, by), by)
    several = {key: found for key, found in groups.items() if len(found) > 1}
    if several:
        raise AssertionError(_more_than_once("at most one", several, by))


def exactly_once(rows: Iterable[Any], by: By, of: Iterable[Any] | None = None) -> None:
    """Each value of `by` occurs once in `rows`: every value in `of`, or else any that occurs, and at least one does."""
    __tracebackhide__ = True
    groups = _grouped(given.rows("exactly_once", rows, by), by)
    wanted = list(groups) if of is None else [_hashable(value) for value in given.values("exactly_once", of)]
    parts = []
    several = {key: groups[key] for key in wanted if len(groups.get(key, ())) > 1}
    if several:
        parts.append(_more_than_once("exactly one", several, by))
    missing = [key for key in dict.fromkeys(wanted) if key not in groups]
    if missing:
        values = _and_more([brief(key) for key in missing])
        parts.append(f"exactly one {_row_word(groups)}per {_by_word(by)}, but there is none for {values}")
    if of is None and not groups:
        parts.append(f"exactly one row per {_by_word(by)}, but there are no rows at all")
    if parts:
        raise AssertionError("\n".join(parts))


def conserved(table: Table, field: str) -> None:
    """The sum of `field` over all rows of `table` is what it was after seeding (null counts as 0).

    Exact for `int` (minor units) and `decimal`; for `float` within rounding.
    """
    __tracebackhide__ = True
    record = given.table("conserved", table).record
    kind = record.fields.get(field)
    if not isinstance(kind, IntType | FloatType | DecimalType):
        numbers = [n for n, k in record.fields.items() if isinstance(k, IntType | FloatType | DecimalType)]
        what = "is not a number" if kind is not None else "does not exist"
        tail = suggestion(field, numbers, f"numbers: {', '.join(numbers) or 'none'}")
        raise UsageError(f"conserved: the field {shown(field)} of {record.name} {what}; {tail}")
    with localcontext(EXACT):
        before = _total(row[field] for row in table.seeded().values())
        after = _total(row[field] for row in table.committed().values())
        off = f"{after - before:+}"
    if before == after or (isinstance(after, float) and math.isclose(before, after, rel_tol=CLOSE, abs_tol=CLOSE)):
        return
    lines = [f"the sum of {record.name}.{field} was {said(before)} after seeding and is {said(after)} now ({off})"]
    moved = [effect for effect in table.effects() if _part(effect, field)]
    lines += [f"    id {effect.id!r}: {_part(effect, field)}, {_by(effect)}" for effect in moved[: 2 * SHOWN]]
    if len(moved) > 2 * SHOWN:
        lines.append(f"    … and {len(moved) - 2 * SHOWN} more effects")
    raise AssertionError("\n".join(lines))


def no_orphans(world: World) -> None:
    """Every reference points at a row that exists."""
    __tracebackhide__ = True
    lines: list[str] = []
    found = 0
    for table in given.world("no_orphans", world).tables.values():
        for row in table.committed().values():
            for field, target, key in table.record.references(row):
                if key in world.tables[target].committed():
                    continue
                found += 1
                if found > SHOWN:
                    continue
                lines.append(f"{table.record.name} {row['id']!r}: {field} is {key!r}, but {target} has no such row")
                lines += _history(world.tables[target], key)
                lines += _history(table, row["id"])
    if found:
        more = [f"… and {found - SHOWN} more"] if found > SHOWN else []
        raise AssertionError(
            "\n".join([f"{found} reference{'s point' if found > 1 else ' points'} at nothing:", *lines, *more])
        )


def unchanged(world: World, since: Snapshot, except_: str | Collection[str] = ()) -> None:
    """Nothing differs from the snapshot `since` but the tables (`refunds`) and fields (`order.status`) in `except_`."""
    __tracebackhide__ = True
    diff = given.world("unchanged", world).diff(given.snapshot("unchanged", since))
    tables, fields = _excepted(world, given.names("unchanged", except_))
    lines = []
    for table, key, what in diff.rows():
        if table in tables:
            continue
        changes = diff.changed.get(table, {}).get(key)
        if changes is not None:
            left = {name: pair for name, pair in changes.items() if (table, name) not in fields}
            if not left:
                continue
            what = words.changes(left, diff.unquoted.get(table, ()))
        lines.append((table, key, what))
    if not lines:
        return
    text = [f"{len(lines)} row{'s have' if len(lines) > 1 else ' has'} changed that should not have:"]
    for table, key, what in lines[:SHOWN]:
        text.append(f"{table} {key!r}: {what}")
        if table in world.tables:
            text += _history(world.tables[table], key)
    if len(lines) > SHOWN:
        text.append(f"… and {len(lines) - SHOWN} more")
    raise AssertionError("\n".join(text))


def _excepted(world: World, names: Iterable[str]) -> tuple[set[str], set[tuple[str, str]]]:
    tables: set[str] = set()
    fields: set[tuple[str, str]] = set()
    for name in names:
        owner, _, field = name.rpartition(".")
        if name in world.tables or not owner:
            tables.add(world[name].record.name)
            continue
        record = world[owner].record
        if field not in record.fields:
            tail = suggestion(field, record.fields, record.listed)
            raise UsageError(f"unchanged: {record.name} has no field {field!r}; {tail}")
        fields.add((record.name, field))
    return tables, fields


def _grouped(rows: Iterable[Any], by: By) -> dict[Hashable, list[Any]]:
    groups: dict[Hashable, list[Any]] = {}
    for row in rows:
        groups.setdefault(_hashable(_value(row, by)), []).append(row)
    return groups


def _value(row: Any, by: By) -> Any:
    if callable(by):
        return by(row)
    if isinstance(by, str):
        return _field(row, by)
    return tuple(_field(row, name) for name in by)


def _field(row: Any, name: str) -> Any:
    return row[name] if isinstance(row, Mapping) else getattr(row, name)


def _hashable(value: Any) -> Hashable:
    try:
        hash(value)
    except TypeError:
        return repr(value)
    key: Hashable = value
    return key


def _by_word(by: By) -> str:
    if callable(by):
        return getattr(by, "__name__", "value").replace("<lambda>", "value")
    return by if isinstance(by, str) else ", ".join(by)


def _record_of(rows: Iterable[Any]) -> Record | None:
    tables = (origin(row) for row in rows if isinstance(row, Row))
    return next((table.record for table in tables if table is not None), None)


def _row_word(groups: Mapping[Hashable, list[Any]]) -> str:
    record = next((found for rows in groups.values() if (found := _record_of(rows))), None)
    return f"{record.short} " if record else "row "


def _more_than_once(claim: str, several: Mapping[Hashable, list[Any]], by: By) -> str:
    lines = []
    for key, rows in list(several.items())[:SHOWN]:
        lines.append(f"{claim} {_row_word(several)}per {_by_word(by)}, but {brief(key)} has {len(rows)}:")
        for row in rows[:SHOWN]:
            lines.append(f"    {shown(row, 300)}")
            table = origin(row) if isinstance(row, Row) else None
            if table is not None:
                lines += [f"    {line}" for line in _history(table, raw(row)["id"])]
        if len(rows) > SHOWN:
            lines.append(f"    … and {len(rows) - SHOWN} more")
    if len(several) > SHOWN:
        lines.append(f"… and {len(several) - SHOWN} more values of {_by_word(by)}")
    return "\n".join(lines)


def _history(table: Table, key: Any) -> list[str]:
    """The effects on one row, a line each."""
    effects = table.effects(key)
    if not effects:
        there = key in table.seeded()
        return [f"    {table.record.short} {str(key)!r} {'is as it was seeded' if there else 'never existed'}"]
    return [f"    {table.record.short} {str(key)!r}: {effect}" for effect in effects]


def _by(effect: Effect) -> str:
    return f"rev {effect.rev} at {effect.t:g} s by {effect.call or 'the test itself'}"


def _part(effect: Effect, field: str) -> str:
    """What an effect did to one field, in words; empty if nothing."""
    if field not in effect.changes:
        return ""
    return f"{effect.op} {words.changes({field: effect.changes[field]}, effect.unquoted)}"


def _total(values: Iterable[Any]) -> Any:
    numbers = [value for value in values if value is not None]
    if any(isinstance(number, float) for number in numbers):
        return math.fsum(numbers)
    return sum(numbers, Decimal(0)) if any(isinstance(n, Decimal) for n in numbers) else sum(numbers)


def _and_more(words: list[str]) -> str:
    return ", ".join(words[:SHOWN]) + (f" and {len(words) - SHOWN} more" if len(words) > SHOWN else "")
