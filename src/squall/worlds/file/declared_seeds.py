"""Reads what the records of a world file start with: numbers of rows, fixed rows, and data files.

Whether a fixed row fits its record is seen when it is made, by `seeding`. Knows no operation.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any

from squall.errors import UsageError, nearest, shown
from squall.worlds.file.plans import Blueprint, Loc
from squall.worlds.file.shapes import MOST_ROWS, Misread, mapping
from squall.worlds.file.shapes import count as count_in
from squall.worlds.seeds import datafiles
from squall.worlds.seeds.datafiles import DataFile
from squall.worlds.seeds.seeding import Plan
from squall.worlds.tables.records import Record


def read_seed(blueprint: Blueprint, service: str, parts: Mapping[Any, Any]) -> None:
    """What each record of one service starts with."""
    seed = mapping(parts.get("seed"))
    own = blueprint.own(service)
    overall = count_in(seed.get("count")) or 0
    overall = overall if overall <= MOST_ROWS else 0  # the file's model complains
    whole_loc: Loc = ("services", service, "seed", "from")
    whole = seed.get("from") if "from" not in own else None
    for name in seed:
        if name not in own and name != "count" and (name != "from" or whole is None):
            blueprint.problem(
                f"{service} has no record {shown(name)} to seed",
                ("services", service, "seed", name),
                near=nearest(name, [*own, "count"]),
                hint=f"records: {', '.join(own)}" if own else None,
                key=True,
            )
    if whole is not None and len(own) != 1:
        hint = f"write seed: {{ {next(iter(own), 'NAME')}: {{ from: {whole} }} }}"
        blueprint.problem(
            "it is not said which record this file is for", ("services", service, "seed", "from"), hint=hint
        )
        whole = None
    for short, record in own.items():
        loc: Loc = ("services", service, "seed", short)
        given = seed.get(short) if short != "count" else None
        file, file_loc = whole, whole_loc
        if isinstance(given, dict):
            blueprint.only(given, ("from", "rows", "count"), loc)
            count = _counted(blueprint, given["count"], (*loc, "count")) if "count" in given else overall
            if "from" in given:
                file, file_loc = given["from"], (*loc, "from")
            given, loc = given.get("rows", []), (*loc, "rows")
        elif isinstance(given, int | float):
            count, given = _counted(blueprint, given, loc), []
        else:
            count = overall
        blueprint.seed_locs[record.name] = loc
        rows = _rows(blueprint, [] if given is None else given, loc)
        data = None if file is None else _file(blueprint, record, file, file_loc)
        if data is None:
            blueprint.plans.append(Plan(record, rows, count))
        else:
            blueprint.data[record.name] = data
            blueprint.plans.append(Plan(record, rows, count, data.cells.columns, data.cells.size))


def _file(blueprint: Blueprint, record: Record, name: Any, loc: Loc) -> DataFile | None:
    if not isinstance(name, str):
        blueprint.problem(f"{shown(name)} is not the name of a file", loc, hint="write from: orders.csv")
        return None
    near = blueprint.document.path or FilePath(blueprint.document.name)
    try:
        return datafiles.read(name, near.parent, record)
    except Misread as bad:
        blueprint.problem(bad.message, loc, near=bad.near, hint=bad.hint)
    except UsageError as error:
        blueprint.problems += error.problems
    return None


def _counted(blueprint: Blueprint, value: Any, loc: Loc) -> int:
    count = count_in(value)
    if count is None:
        blueprint.problem(f"{shown(value)} is not a number of rows", loc, hint="write a whole number, 0 or more")
    elif count > MOST_ROWS:
        message = f"{count} rows are more than a record can start with"
        blueprint.problem(message, loc, hint=f"write {MOST_ROWS} or less; a data file may have more")
        return 0
    return count or 0


def _rows(blueprint: Blueprint, rows: Any, loc: Loc) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(rows, list):
        blueprint.problem(
            f"{shown(rows)} is not what a record can start with",
            loc,
            hint="write a number of rows, a list of fixed rows, or { from: FILE, rows: [...], count: N }",
        )
        return ()
    for position, row in enumerate(rows):
        if not isinstance(row, dict):
            blueprint.problem(f"{shown(row)} is not a row", (*loc, position), hint="a row maps fields to values")
    return tuple(row for row in rows if isinstance(row, dict))
