"""What a world file means: its records with their types, its seeds and its operations, all checked against each other.

Reads the document's plain data with care, so that one wrong part does not hide what is wrong elsewhere: all problems
come at once, each with its position. Runs no code.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squall.documents import Document
from squall.errors import nearest, shown
from squall.worlds.fields.typetext import NAME
from squall.worlds.file.declared_operations import read_operations
from squall.worlds.file.declared_records import read_records
from squall.worlds.file.declared_seeds import read_seed
from squall.worlds.file.plans import Blueprint, ListenerPlan, Loc, OperationPlan
from squall.worlds.file.shapes import mapping, mappings


def read(document: Document) -> Blueprint:
    """The blueprint of `document`; look at its `problems` before using it."""
    blueprint = Blueprint(document)
    data = mapping(document.data)
    services = mapping(data.get("services"))
    _read_names(blueprint, services)
    read_records(blueprint, services)
    for name, service in mappings(services):
        read_seed(blueprint, name, service)
    for name, service in mappings(services):
        read_operations(blueprint, name, service, qualified=data.get("tool_names") == "qualified")
    for name, service in mappings(services):
        _read_listeners(blueprint, name, service)
    _one_tool_each(blueprint)
    _one_target_each(blueprint)
    return blueprint


def _read_names(blueprint: Blueprint, services: Mapping[Any, Any]) -> None:
    """Names become attributes and tool names: they are letters, digits and _, and begin with a letter."""
    for service, parts in mappings(services):
        at: Loc = ("services", service)
        named: list[tuple[str, Any, Loc]] = [("service", service, at)]
        named += [("record", name, (*at, "records", name)) for name in mapping(parts.get("records"))]
        named += [("operation", name, (*at, "operations", name)) for name in mapping(parts.get("operations"))]
        for what, name, loc in named:
            if not isinstance(name, str) or not NAME.match(name):
                blueprint.problem(
                    f"{shown(name)} cannot name {'an' if what[0] == 'o' else 'a'} {what}",
                    loc,
                    key=True,
                    hint="a name is letters, digits and _ and begins with a letter",
                )


def _read_listeners(blueprint: Blueprint, service: str, parts: Mapping[Any, Any]) -> None:
    for event, handler in mapping(parts.get("listens")).items():
        loc: Loc = ("services", service, "listens", event)
        if event not in blueprint.events:
            near, hint = nearest(event, blueprint.events), f"events: {', '.join(blueprint.events) or 'none'}"
            blueprint.problem(f"nothing emits {shown(event)}", loc, near=near, hint=hint, key=True)
        if isinstance(handler, str):
            blueprint.listeners.append(ListenerPlan(event, handler, loc))


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


def _one_target_each(blueprint: Blueprint) -> None:
    """Faults name an event as they name an operation."""
    operations = {(plan.service, plan.name) for plan in blueprint.operations}
    for event, loc in blueprint.events.items():
        if (loc[1], event) in operations:
            message = f"the event {event!r} is called like the operation {loc[1]}.{event}"
            blueprint.problem(message, loc, hint="say what has happened, as order_shipped does for ship_order")
