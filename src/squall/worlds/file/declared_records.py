"""Reads the records of a world file: their fields with types, checked against each other.

Knows no seed and no operation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from squall.errors import nearest, shown
from squall.worlds.fields.compound import ListType, MappingType
from squall.worlds.fields.types import FieldType, StrType, UnreadType
from squall.worlds.fields.typetext import NAME, KeyOf, parse
from squall.worlds.file.declared_lifecycle import RULES, read_lifecycle
from squall.worlds.file.plans import Blueprint, Loc
from squall.worlds.file.shapes import Misread, mappings
from squall.worlds.tables.lifecycle import Lifecycle
from squall.worlds.tables.records import Record

FIELDS = "fields"
KEYS = (FIELDS, *RULES)


def read_records(blueprint: Blueprint, services: Mapping[Any, Any]) -> None:
    """The records of all services; they may refer to one another in any order."""
    declared = {
        f"{service}.{record}": fields
        for service, parts in mappings(services)
        for record, fields in mappings(parts.get("records"))
    }
    split = {name: _split(given) for name, given in declared.items()}
    keys = {name: _key(fields.get("id")) for name, (fields, _, _) in split.items()}

    def key_of(target: str) -> Literal["str", "int"]:
        if target not in keys:
            short = [name for name in keys if name.rpartition(".")[2] == target]
            near = short[0] if len(short) == 1 else nearest(target, keys)
            known = f"records: {', '.join(keys)}"
            raise Misread(f"ref[{target}] refers to a record that does not exist", near=near, hint=known)
        return keys[target]

    for name, (fields, rules, key) in split.items():
        service, _, short = name.partition(".")
        whole: Loc = ("services", service, "records", short)
        loc: Loc = whole if rules is None else (*whole, key)
        types = _read_fields(blueprint, fields, loc, key_of, rules=rules)
        blueprint.record_locs[name] = loc
        lifecycle = Lifecycle() if rules is None else read_lifecycle(blueprint, name, types, rules, whole)
        blueprint.records[name] = Record(service, short, types, lifecycle)


def _split(given: Mapping[Any, Any]) -> tuple[Mapping[Any, Any], Mapping[Any, Any] | None, Any]:
    """The fields of a record, and if it has the long form its rules and the key of the fields, which may be misspelt.

    The long form is `fields:` and beside it rules. A record may have a field that is called `fields`; so what makes
    sense as a map of fields is one. A key that is misspelt is among the rules, which it is none of.
    """
    near = (key for key, value in given.items() if isinstance(value, dict) and nearest(key, KEYS) == FIELDS)
    own = FIELDS if FIELDS in given else next(near, FIELDS)
    fields = given.get(own)
    beside = [key for key in given if key != own]
    if not isinstance(fields, dict) or not any(nearest(key, RULES) for key in beside) or _is_map_of_types(given):
        return given, None, FIELDS
    return fields, {key: value for key, value in given.items() if key != FIELDS}, own


def _is_map_of_types(given: Any) -> bool:
    if isinstance(given, dict):
        return bool(given) and all(map(_is_map_of_types, given.values()))
    try:
        parse(given, lambda _target: "str")
    except Misread:
        return False
    return True


def _has_types(given: Any) -> bool:
    if isinstance(given, dict):
        return any(map(_has_types, given.values()))
    return _is_map_of_types(given)


def _is_rule(name: Any, given: Any) -> bool:
    """Whether it was meant as a rule, which stands where a field has its type."""
    if name not in RULES and (nearest(name, RULES) is None or _has_types(given)):
        return False
    return isinstance(given, dict) and not _is_map_of_types(given)


def _read_fields(
    blueprint: Blueprint, fields: Mapping[Any, Any], loc: Loc, key_of: KeyOf, rules: Mapping[Any, Any] | None
) -> dict[str, FieldType]:
    types: dict[str, FieldType] = {"id": StrType("str")}
    for name, text in fields.items():
        if rules is None and _is_rule(name, text):
            near = nearest(name, RULES)
            message = f"{name!r} is no field with types; rules stand beside fields"
            hint = f"write {{ fields: {{ … }}, {near}: {{ … }} }}"
            blueprint.problem(message, (*loc, name), key=True, near=None if near == name else near, hint=hint)
        elif not isinstance(name, str) or not NAME.match(name):
            blueprint.problem(
                f"{shown(name)} cannot name a field",
                (*loc, name),
                key=True,
                hint="a name is letters, digits and _ and begins with a letter",
            )
        elif name == "id" and _unusable_id(text):
            blueprint.problem(f"{shown(text)} cannot be the type of an id", (*loc, "id"), hint="write str or int")
        else:
            types[name] = _read_type(blueprint, text, (*loc, name), key_of)
    return types


def _key(text: Any) -> Literal["str", "int"]:
    return "int" if isinstance(text, str) and text.strip() == "int" else "str"


def _unusable_id(text: Any) -> bool:
    return not isinstance(text, str) or text.strip() not in ("str", "int")


def _read_type(blueprint: Blueprint, declared: Any, loc: Loc, key_of: KeyOf) -> FieldType:
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
    except Misread as bad:
        blueprint.problem(bad.message, loc, near=bad.near, hint=bad.hint)
        return UnreadType("?")
