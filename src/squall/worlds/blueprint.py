"""What a world file means: its records with their types, its seeds and its operations, all checked against each other.

Reads the document's plain data with care, so that one wrong part does not hide what is wrong elsewhere: all problems
come at once, each with its position. Runs no code; handlers are the business of `operations`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from squall.documents import Document
from squall.errors import Problem, nearest, shown
from squall.worlds.compound import ListType, MappingType
from squall.worlds.records import Record
from squall.worlds.seeding import Plan, SeedProblem
from squall.worlds.spec import KINDS, Kind
from squall.worlds.types import FieldType, StrType, UnreadType
from squall.worlds.typetext import NAME, BadType, parse

Loc = tuple[str | int, ...]
ONLY_FOR: Mapping[str, tuple[Kind, ...]] = {
    "record": ("get", "list", "create", "update", "delete", "custom"),
    "filter": ("list",),
    "required": ("create",),
    "handler": ("custom",),
    "access": ("custom",),
    "idempotent": ("custom",),
    "destructive": ("custom",),
}


@dataclass(frozen=True)
class OperationPlan:
    """One operation of the file. `tool` is its name on the wire; `loc` leads to it in the document."""

    service: str
    name: str
    tool: str
    kind: Kind
    loc: Loc
    record: Record | None = None
    filter: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    handler: str | None = None
    description: str | None = None
    access: Literal["read", "write"] = "read"
    idempotent: bool = False
    destructive: bool = False


@dataclass
class Blueprint:
    """The meaning of one document."""

    document: Document
    problems: list[Problem] = field(default_factory=list)
    records: dict[str, Record] = field(default_factory=dict)
    plans: list[Plan] = field(default_factory=list)
    seed_locs: dict[str, Loc] = field(default_factory=dict)
    operations: list[OperationPlan] = field(default_factory=list)

    def problem(
        self, message: str, loc: Loc, *, near: str | None = None, hint: str | None = None, key: bool = False
    ) -> None:
        """Notes one thing that is wrong."""
        self.problems.append(Problem(message, self.document.at(loc, key=key), near, sentence(hint)))

    def seed_problem(self, found: SeedProblem) -> None:
        """Notes what seeding found, at the row of the file or at the record's declaration."""
        record = found.record
        if found.row is None:
            loc: Loc = ("services", record.service, "records", record.short, *found.path)
            self.problem(found.message, loc, hint="seed some, or make the field optional (?)")
        else:
            loc = (*self.seed_locs[record.name], found.row, *found.path)
            unknown = found.path[0] not in record.fields
            self.problem(found.message, loc, near=found.near, key=unknown)


def sentence(hint: str | None) -> str | None:
    """A hint as it is shown: with a capital and a full stop."""
    return hint and f"{hint[0].upper()}{hint[1:].removesuffix('.')}."


def read(document: Document) -> Blueprint:
    """The blueprint of `document`; look at its `problems` before using it."""
    blueprint = Blueprint(document)
    data = _mapping(document.data)
    services = _mapping(data.get("services"))
    _read_names(blueprint, services)
    _read_records(blueprint, services)
    for name, service in _mappings(services):
        _read_seed(blueprint, name, service)
    for name, service in _mappings(services):
        _read_operations(blueprint, name, service, qualified=data.get("tool_names") == "qualified")
    _one_tool_each(blueprint)
    return blueprint


def _mapping(value: Any) -> dict[Any, Any]:
    """`value` if it is a mapping; the shape is complained of elsewhere."""
    return value if isinstance(value, dict) else {}


def _mappings(value: Any) -> Iterator[tuple[str, dict[Any, Any]]]:
    return ((name, inner) for name, inner in _mapping(value).items() if isinstance(inner, dict))


def _texts(value: Any) -> list[str]:
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _read_names(blueprint: Blueprint, services: Mapping[Any, Any]) -> None:
    """Names become attributes and tool names: they are letters, digits and _, and begin with a letter."""
    for service, parts in _mappings(services):
        at: Loc = ("services", service)
        named: list[tuple[str, Any, Loc]] = [("service", service, at)]
        named += [("record", name, (*at, "records", name)) for name in _mapping(parts.get("records"))]
        named += [("operation", name, (*at, "operations", name)) for name in _mapping(parts.get("operations"))]
        for what, name, loc in named:
            if not isinstance(name, str) or not NAME.match(name):
                blueprint.problem(
                    f"{shown(name)} cannot name {'an' if what[0] == 'o' else 'a'} {what}",
                    loc,
                    key=True,
                    hint="a name is letters, digits and _ and begins with a letter",
                )


def _read_records(blueprint: Blueprint, services: Mapping[Any, Any]) -> None:
    declared = {
        f"{service}.{record}": fields
        for service, parts in _mappings(services)
        for record, fields in _mappings(parts.get("records"))
    }
    keys = {name: _key(fields.get("id")) for name, fields in declared.items()}

    def key_of(target: str) -> Literal["str", "int"]:
        if target not in keys:
            short = [name for name in keys if name.rpartition(".")[2] == target]
            near = short[0] if len(short) == 1 else nearest(target, keys)
            known = f"records: {', '.join(keys)}"
            raise BadType(f"ref[{target}] refers to a record that does not exist", near=near, hint=known)
        return keys[target]

    for name, fields in declared.items():
        service, _, short = name.partition(".")
        loc = ("services", service, "records", short)
        types: dict[str, FieldType] = {"id": StrType("str")}
        for field_name, text in fields.items():
            if not isinstance(field_name, str) or not NAME.match(field_name):
                blueprint.problem(
                    f"{shown(field_name)} cannot name a field",
                    (*loc, field_name),
                    key=True,
                    hint="a name is letters, digits and _ and begins with a letter",
                )
            elif field_name == "id" and _unusable_id(text):
                blueprint.problem(f"{shown(text)} cannot be the type of an id", (*loc, "id"), hint="write str or int")
            else:
                kind = _read_type(blueprint, text, (*loc, field_name), key_of)
                types[field_name] = kind
        blueprint.records[name] = Record(service, short, types)


def _key(text: Any) -> Literal["str", "int"]:
    return "int" if isinstance(text, str) and text.strip() == "int" else "str"


def _unusable_id(text: Any) -> bool:
    return not isinstance(text, str) or text.strip() not in ("str", "int")


def _read_type(blueprint: Blueprint, declared: Any, loc: Loc, key_of: Any) -> FieldType:
    """The type at `loc`; a bad one is noted and stands for anything."""
    if isinstance(declared, dict):
        if not declared:
            blueprint.problem("a nested mapping without fields", loc, hint="give it fields, or write a type")
        inner = {str(name): _read_type(blueprint, text, (*loc, name), key_of) for name, text in declared.items()}
        return MappingType("mapping", fields=inner)
    if isinstance(declared, list) and len(declared) == 1:
        return ListType("list", item=_read_type(blueprint, declared[0], (*loc, 0), key_of))
    try:
        return parse(declared, key_of)
    except BadType as bad:
        blueprint.problem(bad.message, loc, near=bad.near, hint=bad.hint)
        return UnreadType("?")


def _read_seed(blueprint: Blueprint, service: str, parts: Mapping[Any, Any]) -> None:
    seed = _mapping(parts.get("seed"))
    own = {record.short: record for record in blueprint.records.values() if record.service == service}
    overall = _count(seed.get("count")) or 0
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
            _only(blueprint, given, ("count", "rows"), loc)
            count = _counted(blueprint, given["count"], (*loc, "count")) if "count" in given else overall
            given, loc = given.get("rows", []), (*loc, "rows")
        elif isinstance(given, int | float):
            count, given = _counted(blueprint, given, loc), []
        else:
            count = overall
        blueprint.seed_locs[record.name] = loc
        blueprint.plans.append(Plan(record, _rows(blueprint, [] if given is None else given, loc), count))


def _only(blueprint: Blueprint, given: Mapping[Any, Any], keys: tuple[str, ...], loc: Loc) -> None:
    for key in given:
        if key not in keys:
            hint = f"Valid keys here: {', '.join(keys)}."
            blueprint.problem(f"unknown key {shown(key)}", (*loc, key), near=nearest(key, keys), hint=hint, key=True)


def _counted(blueprint: Blueprint, value: Any, loc: Loc) -> int:
    count = _count(value)
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


def _count(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


def _read_operations(blueprint: Blueprint, service: str, parts: Mapping[Any, Any], *, qualified: bool) -> None:
    for name, given in _mappings(parts.get("operations")):
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
    own = [record.short for record in blueprint.records.values() if record.service == service]
    elsewhere = [known for known in blueprint.records if known.rpartition(".")[2] == name]
    near = elsewhere[0] if len(elsewhere) == 1 else nearest(name, [*own, *blueprint.records])
    hint = f"records: {', '.join([*own, *(known for known in blueprint.records if known.split('.')[0] != service)])}"
    blueprint.problem(f"unknown record {shown(name)}", (*loc, "record"), near=near, hint=hint)
    return None


def _fields_of(
    blueprint: Blueprint, record: Record | None, given: Mapping[Any, Any], key: str, loc: Loc
) -> tuple[str, ...]:
    names = _texts(given.get(key))
    if record is None:
        return ()
    for position, name in enumerate(names):
        if name not in record.fields:
            blueprint.problem(
                f"{record.name} has no field {shown(name)}",
                (*loc, key, position),
                near=nearest(name, record.fields),
                hint=f"fields: {', '.join(record.fields)}",
            )
        elif key == "filter" and isinstance(record.fields[name], MappingType | ListType):
            blueprint.problem(f"{name!r} is nested and cannot be filtered by", (*loc, key, position))
    return tuple(dict.fromkeys(name for name in names if name in record.fields))


def _one_tool_each(blueprint: Blueprint) -> None:
    first: dict[str, OperationPlan] = {}
    for plan in blueprint.operations:
        other = first.setdefault(plan.tool, plan)
        if other is not plan:
            where = blueprint.document.at(other.loc, key=True)
            blueprint.problem(
                f"two operations are served as tool {plan.tool!r}: "
                f"{other.service}.{other.name} ({where}) and {plan.service}.{plan.name}",
                plan.loc,
                key=True,
                hint="rename one, or write tool_names: qualified to serve them as service_operation",
            )
