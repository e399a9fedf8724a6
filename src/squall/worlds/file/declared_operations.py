"""Reads the operations of a world file, and checks what each says against the record that it works on.

Runs no code; handlers are the business of `operations`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from squall.errors import nearest, shown
from squall.worlds.fields.compound import ListType, MappingType
from squall.worlds.fields.types import StrType, UnreadType
from squall.worlds.fields.typetext import NAME
from squall.worlds.file.declared_auth import read_auth, renewal
from squall.worlds.file.declared_defaults import read_defaults
from squall.worlds.file.plans import Blueprint, Emitted, Loc, OperationPlan
from squall.worlds.file.shapes import Misread, count, mappings, texts
from squall.worlds.file.spec import KINDS, Kind
from squall.worlds.services import filters, nesting
from squall.worlds.services.filters import Filter
from squall.worlds.services.idempotency import Key
from squall.worlds.services.nesting import Child
from squall.worlds.tables.records import Record

Given = Mapping[Any, Any]
OWN_ARGUMENTS = {"sort": "sort", "cursor": "page_size"}
"""Arguments that are no field's, with the key that gives them to an operation."""
ONLY_FOR: Mapping[str, tuple[Kind, ...]] = {
    "record": ("get", "list", "create", "update", "delete", "custom"),
    "filter": ("list",),
    "sort": ("list",),
    "page_size": ("list",),
    "lag": ("list",),
    "include": ("get", "list", "create"),
    "idempotency_key": ("create",),
    "required": ("create",),
    "defaults": ("create",),
    "emits": ("create", "update", "delete", "custom"),
    "handler": ("custom",),
    "access": ("custom",),
    "idempotent": ("custom",),
    "destructive": ("custom",),
}


def read_operations(blueprint: Blueprint, service: str, parts: Mapping[Any, Any], *, qualified: bool) -> None:
    """The operations of one service, with their names on the wire."""
    auth = read_auth(blueprint, service, parts, qualified=qualified)
    for name, given in mappings(parts.get("operations")):
        loc: Loc = ("services", service, "operations", name)
        kind = given.get("kind")
        if kind not in KINDS:
            continue  # the shape is complained of elsewhere
        for key, kinds in ONLY_FOR.items():
            if given.get(key) is not None and kind not in kinds:
                hint = f"only kind {' and '.join(kinds)} {'has' if len(kinds) == 1 else 'have'} {key}: leave it out"
                blueprint.problem(f"kind {kind} has no {key!r}", (*loc, key), key=True, hint=hint)
        record = _record_of(blueprint, service, given.get("record"), kind, loc)
        handler = given.get("handler")
        if kind == "custom" and not isinstance(handler, str):
            blueprint.problem(
                f"operation {name!r} is custom and names no handler", loc, hint="write handler: module.func"
            )
        include = _children_of(blueprint, record, given, loc)
        beside = {child.key for child in include}
        idempotency = _key_of(blueprint, record, given, beside, loc)
        if idempotency is not None:
            beside.add(idempotency.field)
        required = _required_of(blueprint, record, given, beside, loc)
        writes = kind in ("create", "update", "delete") or (kind == "custom" and given.get("access") != "read")
        blueprint.operations.append(
            OperationPlan(
                service=service,
                name=name,
                tool=f"{service}_{name}" if qualified else name,
                kind=kind,
                loc=loc,
                record=record,
                filters=_filters_of(blueprint, record, given, loc),
                sort=_sorts_of(blueprint, record, given, loc),
                page_size=count(given.get("page_size")) or None,
                lag=blueprint.duration(given, "lag", loc) or 0.0,
                include=include,
                key=idempotency,
                required=required,
                defaults=read_defaults(blueprint, record, given, required, idempotency, loc),
                emits=_event_of(blueprint, given, None if kind == "custom" else record, include, loc),
                auth=auth,
                handler=handler if isinstance(handler, str) else None,
                description=given.get("description"),
                access="write" if writes else "read",
                idempotent=bool(given.get("idempotent", not writes or kind in ("update", "delete"))),
                destructive=bool(given.get("destructive", writes and kind != "create")),
            )
        )
    renews = renewal(auth) if auth is not None else None
    if renews is not None:
        blueprint.operations.append(renews)


def _record_of(blueprint: Blueprint, service: str, name: Any, kind: Kind, loc: Loc) -> Record | None:
    if not isinstance(name, str):
        if kind != "custom":
            blueprint.problem(f"kind {kind} needs a record", loc, hint="write record: NAME")
        return None
    full = name if "." in name else f"{service}.{name}"
    found = blueprint.records.get(full) or blueprint.own(service).get(name)
    if found is not None:
        return found
    own = list(blueprint.own(service))
    elsewhere = [known for known in blueprint.records if known.rpartition(".")[2] == name]
    near = elsewhere[0] if len(elsewhere) == 1 else nearest(name, [*own, *blueprint.records])
    hint = f"records: {', '.join([*own, *(known for known in blueprint.records if known.split('.')[0] != service)])}"
    blueprint.problem(f"unknown record {shown(name)}", (*loc, "record"), near=near, hint=hint)
    return None


def _filters_of(blueprint: Blueprint, record: Record | None, given: Given, loc: Loc) -> tuple[Filter, ...]:
    if record is None:
        return ()
    found: dict[str, Filter] = {}
    for place, text in texts(given.get("filter")):
        try:
            each = filters.read(record, text)
        except Misread as bad:
            blueprint.problem(bad.message, (*loc, "filter", place), near=bad.near, hint=bad.hint)
            continue
        other = found.setdefault(each.argument, each)
        if other != each:
            message = f"the filters {other.text!r} and {text!r} would both be the argument {each.argument!r}"
            blueprint.problem(message, (*loc, "filter", place))
        elif OWN_ARGUMENTS.get(each.argument) in given:
            message = f"the filter {text!r} and {OWN_ARGUMENTS[text]!r} would both be the argument {text!r}"
            blueprint.problem(message, (*loc, "filter", place))
    return tuple(found.values())


def _sorts_of(blueprint: Blueprint, record: Record | None, given: Given, loc: Loc) -> tuple[str, ...]:
    if record is None:
        return ()
    sorts = []
    for place, text in texts(given.get("sort")):
        field = text.removeprefix("-")
        if _has(blueprint, record, field, (*loc, "sort", place)):
            if isinstance(record.fields[field], MappingType | ListType):
                blueprint.problem(f"{field!r} is nested and cannot be sorted by", (*loc, "sort", place))
            else:
                sorts.append(text)
    return tuple(dict.fromkeys(sorts))


def _children_of(blueprint: Blueprint, record: Record | None, given: Given, loc: Loc) -> tuple[Child, ...]:
    if record is None:
        return ()
    found: dict[str, Child] = {}
    for place, text in texts(given.get("include")):
        try:
            child = nesting.child(blueprint.records, record, text)
        except Misread as bad:
            blueprint.problem(bad.message, (*loc, "include", place), near=bad.near, hint=bad.hint)
        else:
            found[child.key] = child
    return tuple(found.values())


def _key_of(
    blueprint: Blueprint, record: Record | None, given: Given, children: Collection[str], loc: Loc
) -> Key | None:
    declared = given.get("idempotency_key")
    if record is None or declared is None:
        return None
    loc = (*loc, "idempotency_key")
    hint = "write idempotency_key: NAME, or idempotency_key: { field: NAME, expires: 24h }"
    if isinstance(declared, dict):
        blueprint.only(declared, ("field", "expires"), loc)
        expires = blueprint.duration(declared, "expires", loc)
        if "field" not in declared:
            blueprint.problem("missing key 'field'", loc, hint=hint, key=True)
            return None
        name, loc = declared["field"], (*loc, "field")
    else:
        name, expires = declared, None
    kind = record.fields.get(name) if isinstance(name, str) else None
    if not isinstance(name, str) or not NAME.match(name):
        blueprint.problem(f"{shown(name)} cannot name an idempotency key", loc, hint=hint)
    elif (kind is not None and not isinstance(kind, StrType | UnreadType)) or name == "id":
        blueprint.problem(f"{name!r} is {record.fields[name].text}, and an idempotency key is a text of its own", loc)
    elif name in children:
        blueprint.problem(f"{name!r} is the argument for the rows that are included", loc, hint=hint)
    else:
        return Key(name) if expires is None else Key(name, expires)
    return None


def _event_of(
    blueprint: Blueprint, given: Given, record: Record | None, include: tuple[Child, ...], loc: Loc
) -> str | None:
    """The event of an operation that answers with a row of `record`; None where a handler answers with anything."""
    name = given.get("emits")
    data = None if record is None else Emitted(record.name, include)
    return name if isinstance(name, str) and blueprint.event(name, (*loc, "emits"), data) else None


def _required_of(
    blueprint: Blueprint, record: Record | None, given: Given, beside: Collection[str], loc: Loc
) -> tuple[str, ...]:
    if record is None:
        return ()
    names = [
        name
        for place, name in texts(given.get("required"))
        if name in beside or _has(blueprint, record, name, (*loc, "required", place))
    ]
    version = record.lifecycle.version
    if version in names:
        blueprint.problem(f"{version!r} counts updates, and is not given when a row is created", (*loc, "required"))
    return tuple(dict.fromkeys(name for name in names if name != version))


def _has(blueprint: Blueprint, record: Record, field: str, loc: Loc) -> bool:
    """Whether the record has the field; if not, that is a problem."""
    if field in record.fields:
        return True
    hint = f"fields: {', '.join(record.fields)}"
    blueprint.problem(f"{record.name} has no field {shown(field)}", loc, near=nearest(field, record.fields), hint=hint)
    return False
