"""Reads the `defaults` of a `create`: what the fields of a new row begin with that a call leaves out.

Each is held against the type of its field. Whether a row is there that one refers to, only a call can tell.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from squall.errors import nearest, shown
from squall.worlds.fields.types import Unfit
from squall.worlds.file.plans import Blueprint, Loc
from squall.worlds.file.shapes import mapping
from squall.worlds.services.defaults import MOMENTS, NOW, Default, default
from squall.worlds.services.idempotency import Key
from squall.worlds.tables.records import Record


def read_defaults(
    blueprint: Blueprint,
    record: Record | None,
    given: Mapping[Any, Any],
    required: Collection[str],
    key: Key | None,
    loc: Loc,
) -> Mapping[str, Default]:
    """By field. `required` are the arguments that a call must have; `loc` leads to the operation."""
    if record is None:
        return {}
    found: dict[str, Default] = {}
    for name, value in mapping(given.get("defaults")).items():
        kind = record.fields.get(name)
        at: Loc = (*loc, "defaults", name)
        if kind is None:
            near, hint = nearest(name, record.fields), f"fields: {', '.join(record.fields)}"
            blueprint.problem(f"{record.name} has no field {shown(name)}", at, near=near, hint=hint, key=True)
        elif why := _without_default(name, record, required, None if key is None else key.field):
            blueprint.problem(why, at, key=True, hint="leave it out")
        else:
            try:
                found[name] = default(kind, value)
            except Unfit as unfit:
                message = Unfit(unfit.message, path=unfit.path).said(name)
                near = nearest(value, (NOW,)) if isinstance(kind, MOMENTS) else unfit.near
                blueprint.problem(message, (*at, *unfit.path), near=near)
    return found


def _without_default(name: str, record: Record, required: Collection[str], key: str | None) -> str | None:
    """Why a field can have none."""
    if name == "id":
        return "an 'id' is given or numbered, and has no default"
    if name == record.lifecycle.version:
        return f"{name!r} counts updates, and begins at 1"
    if name == key:
        return f"{name!r} is the idempotency key, and with a default all calls would be the same one"
    return f"{name!r} is required, so that its default would never be used" if name in required else None
