"""Reads the rules that stand beside a record's fields: `transitions` and `version`.

Knows the record's types; no other record and no operation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.errors import nearest, shown
from squall.worlds.lifecycle import Lifecycle
from squall.worlds.plans import Blueprint, Loc
from squall.worlds.types import EnumType, FieldType, IntType, UnreadType

RULES = ("transitions", "version")
Types = Mapping[str, FieldType]
Ways = Mapping[str, tuple[str, ...]]


def read_lifecycle(blueprint: Blueprint, record: str, types: Types, rules: Mapping[Any, Any], loc: Loc) -> Lifecycle:
    """The rules of one record; `loc` leads to it."""
    blueprint.only(rules, ("fields", *RULES), loc)
    transitions: dict[str, Ways] = {}
    given = rules.get("transitions", {})
    if not isinstance(given, dict):
        _not_a_machine(blueprint, given, (*loc, "transitions"))
        given = {}
    for field, states in given.items():
        here = (*loc, "transitions", field)
        kind = types.get(field)
        if isinstance(kind, EnumType):
            transitions[field] = _ways(blueprint, kind, states, here)
        elif not isinstance(kind, UnreadType):
            enums = [name for name, each in types.items() if isinstance(each, EnumType)]
            what = f"is {kind.text}, and states are an enum" if kind else "does not exist"
            hint = f"enums of {record}: {', '.join(enums) or 'none'}"
            blueprint.problem(f"the field {shown(field)} {what}", here, near=nearest(field, enums), hint=hint, key=True)
    return Lifecycle(transitions, _version(blueprint, record, types, rules, loc))


def _ways(blueprint: Blueprint, kind: EnumType, states: Any, loc: Loc) -> Ways:
    found: dict[str, tuple[str, ...]] = {}
    if not isinstance(states, dict):
        _not_a_machine(blueprint, states, loc)
        return found

    def known(state: Any, at: Loc, *, key: bool = False) -> bool:
        if state in kind.members:
            return True
        hint = f"states: {', '.join(kind.members)}"
        blueprint.problem(
            f"there is no state {shown(state)}", at, near=nearest(state, kind.members), hint=hint, key=key
        )
        return False

    for state, following in states.items():
        known(state, (*loc, state), key=True)
        if isinstance(following, list):
            ways = [way for place, way in enumerate(following) if known(way, (*loc, state, place))]
            found[state] = tuple(ways)
        else:
            _not_a_machine(blueprint, following, (*loc, state))
    return found


def _not_a_machine(blueprint: Blueprint, value: Any, loc: Loc) -> None:
    hint = "write transitions: { status: { placed: [shipped, cancelled], shipped: [delivered] } }"
    blueprint.problem(f"{shown(value)} does not say which states may follow", loc, hint=hint)


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
