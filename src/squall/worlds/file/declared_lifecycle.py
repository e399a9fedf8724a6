"""Reads the rules that stand beside a record's fields: `transitions`, `version` and `emits`.

Knows the record's types; no other record and no operation.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from squall.errors import nearest, shown
from squall.worlds.fields.numeric import IntType
from squall.worlds.fields.types import EnumType, FieldType, UnreadType
from squall.worlds.file.plans import Blueprint, Emitted, Loc
from squall.worlds.tables.lifecycle import Lifecycle

RULES = ("transitions", "version", "emits")
Types = Mapping[str, FieldType]
FORMS = {
    "transitions": (
        "which states may follow",
        "{ status: { placed: [shipped, cancelled], shipped: [delivered] } }",
    ),
    "emits": ("which event it is to get there", "{ status: { shipped: order_shipped } }"),
}
Ways = Mapping[str, tuple[str, ...]]


def read_lifecycle(blueprint: Blueprint, record: str, types: Types, rules: Mapping[Any, Any], loc: Loc) -> Lifecycle:
    """The rules of one record; `loc` leads to it."""
    blueprint.only(rules, ("fields", *RULES), loc)
    transitions = {
        field: _ways(blueprint, kind, states, (*loc, "transitions", field))
        for field, kind, states in _by_enum(blueprint, record, types, rules, "transitions", loc)
    }
    emits = {
        field: _emits(blueprint, record, kind, states, (*loc, "emits", field))
        for field, kind, states in _by_enum(blueprint, record, types, rules, "emits", loc)
    }
    return Lifecycle(transitions, _version(blueprint, record, types, rules, loc), emits)


def _by_enum(
    blueprint: Blueprint, record: str, types: Types, rules: Mapping[Any, Any], key: str, loc: Loc
) -> Iterator[tuple[str, EnumType, Any]]:
    """What a rule says of each field; a field that has no states is noted."""
    given = rules.get(key, {})
    if not isinstance(given, dict):
        _without_form(blueprint, given, key, (*loc, key))
        return
    for field, states in given.items():
        kind = types.get(field)
        if isinstance(kind, EnumType):
            yield field, kind, states
        elif not isinstance(kind, UnreadType):
            enums = [name for name, each in types.items() if isinstance(each, EnumType)]
            what = f"is {kind.text}, and states are an enum" if kind else "does not exist"
            blueprint.problem(
                f"the field {shown(field)} {what}",
                (*loc, key, field),
                near=nearest(field, enums),
                hint=f"enums of {record}: {', '.join(enums) or 'none'}",
                key=True,
            )


def _known(blueprint: Blueprint, kind: EnumType, state: Any, loc: Loc, *, key: bool = False) -> bool:
    if state in kind.members:
        return True
    near, hint = nearest(state, kind.members), f"states: {', '.join(kind.members)}"
    blueprint.problem(f"there is no state {shown(state)}", loc, near=near, hint=hint, key=key)
    return False


def _ways(blueprint: Blueprint, kind: EnumType, states: Any, loc: Loc) -> Ways:
    found: dict[str, tuple[str, ...]] = {}
    if not isinstance(states, dict):
        _without_form(blueprint, states, "transitions", loc)
        return found
    for state, following in states.items():
        _known(blueprint, kind, state, (*loc, state), key=True)
        if isinstance(following, list):
            known = [way for place, way in enumerate(following) if _known(blueprint, kind, way, (*loc, state, place))]
            found[state] = tuple(known)
        else:
            _without_form(blueprint, following, "transitions", (*loc, state))
    return found


def _emits(blueprint: Blueprint, record: str, kind: EnumType, states: Any, loc: Loc) -> Mapping[str, str]:
    found: dict[str, str] = {}
    if not isinstance(states, dict):
        _without_form(blueprint, states, "emits", loc)
        return found
    for state, event in states.items():
        _known(blueprint, kind, state, (*loc, state), key=True)
        if blueprint.event(event, (*loc, state), Emitted(record)):
            found[state] = event
    return found


def _without_form(blueprint: Blueprint, value: Any, key: str, loc: Loc) -> None:
    what, form = FORMS[key]
    blueprint.problem(f"{shown(value)} does not say {what}", loc, hint=f"write {key}: {form}")


def _version(blueprint: Blueprint, record: str, types: Types, rules: Mapping[Any, Any], loc: Loc) -> str | None:
    if "version" not in rules:
        return None
    name = rules["version"]
    kind = types.get(name) if isinstance(name, str) else None
    if isinstance(kind, IntType) and kind.text == "int" and name != "id":
        return str(name)
    if isinstance(kind, UnreadType):
        return None
    numbers = [each for each, sort in types.items() if sort.text == "int" and each != "id"]
    if name == "id":
        what = "cannot count updates, since it stays as it is"
    else:
        what = f"is {kind.text}, and versions are int" if kind else "does not exist"
    near = nearest(name, numbers)
    hint = f"whole numbers of {record}: {', '.join(numbers) or 'none'}"
    blueprint.problem(f"the field {shown(name)} {what}", (*loc, "version"), near=near, hint=hint)
    return None
