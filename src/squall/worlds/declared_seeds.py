"""Reads what the records of a world file start with: numbers of rows, and fixed rows.

Whether a fixed row fits its record is seen when it is made, by `seeding`. Knows no operation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.errors import nearest, shown
from squall.worlds.plans import Blueprint, Loc
from squall.worlds.seeding import Plan
from squall.worlds.shapes import count as count_in
from squall.worlds.shapes import mapping


def read_seed(blueprint: Blueprint, service: str, parts: Mapping[Any, Any]) -> None:
    """What each record of one service starts with."""
    seed = mapping(parts.get("seed"))
    own = blueprint.own(service)
    overall = count_in(seed.get("count")) or 0
    for name in seed:
        if name != "count" and name not in own:
            blueprint.problem(
                f"{service} has no record {shown(name)} to seed",
                ("services", service, "seed", name),
                near=nearest(name, [*own, "count"]),
                hint=f"records: {', '.join(own)}" if own else None,
                key=True,
            )
    for short, record in own.items():
        loc: Loc = ("services", service, "seed", short)
        given = seed.get(short) if short != "count" else None
        if isinstance(given, dict):
            blueprint.only(given, ("count", "rows"), loc)
            count = _counted(blueprint, given["count"], (*loc, "count")) if "count" in given else overall
            given, loc = given.get("rows", []), (*loc, "rows")
        elif isinstance(given, int | float):
            count, given = _counted(blueprint, given, loc), []
        else:
            count = overall
        blueprint.seed_locs[record.name] = loc
        blueprint.plans.append(Plan(record, _rows(blueprint, [] if given is None else given, loc), count))


def _counted(blueprint: Blueprint, value: Any, loc: Loc) -> int:
    count = count_in(value)
    if count is None:
        blueprint.problem(f"{shown(value)} is not a number of rows", loc, hint="write a whole number, 0 or more")
    return count or 0


def _rows(blueprint: Blueprint, rows: Any, loc: Loc) -> tuple[Mapping[str, Any], ...]:
    if not isinstance(rows, list):
        blueprint.problem(
            f"{shown(rows)} is not what a record can start with",
            loc,
            hint="write a number of rows, a list of fixed rows, or { rows: [...], count: N }",
        )
        return ()
    for position, row in enumerate(rows):
        if not isinstance(row, dict):
            blueprint.problem(f"{shown(row)} is not a row", (*loc, position), hint="a row maps fields to values")
    return tuple(row for row in rows if isinstance(row, dict))
