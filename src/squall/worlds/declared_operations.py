"""Reads the operations of a world file, and checks what each says against the record that it works on.

Runs no code; handlers are the business of `operations`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.errors import nearest, shown
from squall.worlds.compound import ListType, MappingType
from squall.worlds.plans import Blueprint, Loc, OperationPlan
from squall.worlds.records import Record
from squall.worlds.shapes import mappings, texts
from squall.worlds.spec import KINDS, Kind

ONLY_FOR: Mapping[str, tuple[Kind, ...]] = {
    "record": ("get", "list", "create", "update", "delete", "custom"),
    "filter": ("list",),
    "required": ("create",),
    "handler": ("custom",),
    "access": ("custom",),
    "idempotent": ("custom",),
    "destructive": ("custom",),
}


def read_operations(blueprint: Blueprint, service: str, parts: Mapping[Any, Any], *, qualified: bool) -> None:
    """The operations of one service, with their names on the wire."""
    for name, given in mappings(parts.get("operations")):
        loc: Loc = ("services", service, "operations", name)
        kind = given.get("kind")
        if kind not in KINDS:
            continue  # the shape is complained of elsewhere
        for key, kinds in ONLY_FOR.items():
            if given.get(key) is not None and kind not in kinds:
                hint = f"{key} is for kind {', '.join(kinds)}: leave it out, or change the kind"
                blueprint.problem(f"kind {kind} has no {key!r}", (*loc, key), key=True, hint=hint)
        record = _record_of(blueprint, service, given.get("record"), kind, loc)
        handler = given.get("handler")
        if kind == "custom" and not isinstance(handler, str):
            blueprint.problem(
                f"operation {name!r} is custom and names no handler", loc, hint="write handler: module.func"
            )
        filters, required = (_fields_of(blueprint, record, given, key, loc) for key in ("filter", "required"))
        writes = kind in ("create", "update", "delete") or (kind == "custom" and given.get("access") != "read")
        blueprint.operations.append(
            OperationPlan(
                service=service,
                name=name,
                tool=f"{service}_{name}" if qualified else name,
                kind=kind,
                loc=loc,
                record=record,
                filter=filters,
                required=required,
                handler=handler if isinstance(handler, str) else None,
                description=given.get("description"),
                access="write" if writes else "read",
                idempotent=bool(given.get("idempotent", not writes or kind in ("update", "delete"))),
                destructive=bool(given.get("destructive", writes and kind != "create")),
            )
        )


def _record_of(blueprint: Blueprint, service: str, name: Any, kind: Kind, loc: Loc) -> Record | None:
    if not isinstance(name, str):
        if kind != "custom":
            blueprint.problem(f"kind {kind} needs a record", loc, hint="write record: NAME")
        return None
    full = name if "." in name else f"{service}.{name}"
    if full in blueprint.records:
        return blueprint.records[full]
    own = list(blueprint.own(service))
    elsewhere = [known for known in blueprint.records if known.rpartition(".")[2] == name]
    near = elsewhere[0] if len(elsewhere) == 1 else nearest(name, [*own, *blueprint.records])
    hint = f"records: {', '.join([*own, *(known for known in blueprint.records if known.split('.')[0] != service)])}"
    blueprint.problem(f"unknown record {shown(name)}", (*loc, "record"), near=near, hint=hint)
    return None


def _fields_of(
    blueprint: Blueprint, record: Record | None, given: Mapping[Any, Any], key: str, loc: Loc
) -> tuple[str, ...]:
    names = texts(given.get(key))
    if record is None:
        return ()
    for position, name in names:
        if name not in record.fields:
            blueprint.problem(
                f"{record.name} has no field {shown(name)}",
                (*loc, key, position),
                near=nearest(name, record.fields),
                hint=f"fields: {', '.join(record.fields)}",
            )
        elif key == "filter" and isinstance(record.fields[name], MappingType | ListType):
            blueprint.problem(f"{name!r} is nested and cannot be filtered by", (*loc, key, position))
    return tuple(dict.fromkeys(name for _, name in names if name in record.fields))
