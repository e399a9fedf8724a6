"""From what a world file means to what it does: its handlers found, its operations and listeners compiled from them.

Where something is wrong with one of them, or with the file, the others are compiled all the same, so that all problems
come at once. Finding handlers runs their modules' code. Knows no world.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, cast

from squall import documents
from squall.call import LISTING, Access, Target
from squall.errors import Position, Problem, UsageError
from squall.worlds.events.dispatch import Event
from squall.worlds.file.plans import Blueprint, Emitted, Loc, OperationPlan
from squall.worlds.file.shapes import mapping, mappings
from squall.worlds.services import handling, nesting, signature
from squall.worlds.services.auth import TakenArgument
from squall.worlds.services.operations import Operation, compile_operation
from squall.worlds.services.signature import BadSignature

EXAMPLE = "def NAME(world, clock, order_id: str, limit: int = 10)"
LISTENER = "def NAME(world, clock, event)"
Handler = Callable[..., Any]


class Heard(NamedTuple):
    """A listener: what it is called, and the function that tells it of an event in a world."""

    name: str
    run: Callable[[Any, Event], Any]
    is_async: bool


@dataclass
class Compiled:
    """The operations and listeners that could be compiled, and what is wrong with the others."""

    operations: dict[str, Operation] = field(default_factory=dict)
    listeners: dict[str, tuple[Heard, ...]] = field(default_factory=dict)
    handlers: dict[Loc, Handler] = field(default_factory=dict)
    """By the place of their name."""
    problems: list[Problem] = field(default_factory=list)


def compiled(plan: Blueprint, *, handlers: bool, adapted: Callable[[Handler], Handler] | None = None) -> Compiled:
    """All that can be compiled of `plan`; without `handlers` each that it names is a problem.

    `adapted` makes handlers of operations that were written for something else into ours.
    """
    done = Compiled()
    if handlers:
        _find(plan, done)
    else:
        done.problems += refused(plan)
    for operation in plan.operations:
        _compile(plan, operation, done, adapted)
    for each in plan.listeners:
        handler = done.handlers.get(each.loc)
        if handler is None:
            continue
        try:
            is_async = signature.listens(handler)
        except BadSignature as error:
            done.problems.append(_misfit(plan, each.loc, each.handler, handler, error, LISTENER))
        else:
            heard = Heard(each.handler, handling.listener(handler, is_async=is_async), is_async)
            done.listeners[each.event] = (*done.listeners.get(each.event, ()), heard)
    return done


def refused(plan: Blueprint) -> list[Problem]:
    """A problem for each handler that a file names, where none may run."""
    return [
        Problem(
            f"handler {name!r} is Python code, and no handlers may run here",
            plan.document.at(loc),
            hint="Load it with handlers=True (without --no-handlers) if you trust the code, or remove the operation.",
        )
        for loc, name in _named(plan)
    ]


def targets(plan: Blueprint, done: Compiled) -> list[tuple[Target, ...]]:
    """What faults may name in a file that is wrong: a list for each way in which its operations may be meant."""
    found = {operation.target.name: operation.target for operation in done.operations.values()}
    unsure: list[tuple[Target, ...]] = []
    for access in ("read", "write"):
        names = dict(_declared(plan, access))
        operations = tuple(found.get(name, target) for name, target in names.items())
        beside = () if LISTING.name in names else (LISTING,)
        events = (target for target in events_of(plan).values() if target.name not in names)
        unsure.append((*operations, *beside, *events))
    return unsure[:1] if unsure[0] == unsure[1] else unsure


def events_of(plan: Blueprint) -> dict[str, Target]:
    """By an event's name, its target: what faults call it, and what its data hold where that is known."""
    data = {name: _data(plan, emitted) for name, emitted in plan.emitted.items()}
    return {
        name: Target(f"{loc[1]}.{name}", "", wire="event", access="write", fields=tuple(data[name]), schemas=data[name])
        for name, loc in plan.events.items()
    }


def _data(plan: Blueprint, emitted: Iterable[Emitted | None]) -> dict[str, Any]:
    """The schemas of an event's data by field, whatever emits it; one that may be several things says nothing."""
    fields: dict[str, Any] = {}
    for data in emitted:
        record = None if data is None else plan.records.get(data.record)
        if data is None or record is None:
            return {}
        for name, schema in nesting.schema(record, data.children)["properties"].items():
            fields[name] = schema if fields.get(name, schema) == schema else {}
    return fields


class _Anything(tuple[str, ...]):
    """The arguments of an operation of which they are not known: each is among them."""

    __slots__ = ()

    def __contains__(self, name: object) -> bool:
        return True


def _declared(plan: Blueprint, access: str) -> Iterator[tuple[str, Target]]:
    """Every operation of the file by its name, with as little as is known of each."""
    plans = {(each.service, each.name): each for each in plan.operations}
    named = [
        (service, name)
        for service, parts in mappings(mapping(plan.document.data).get("services"))
        for name in mapping(parts.get("operations"))
    ]
    for service, name in dict.fromkeys([*named, *plans]):
        known = plans.get((service, name))
        may = cast("Access", access if known is None else known.access)
        tool = str(name) if known is None else known.tool
        full = f"{service}.{name}"
        yield full, Target(full, tool, access=may, fields=_Anything(), dated=True)


def _named(plan: Blueprint) -> Iterator[tuple[Loc, str]]:
    """The handlers that a file names: where the name stands, and the name."""
    for operation in plan.operations:
        if operation.handler is not None:
            yield (*operation.loc, "handler"), operation.handler
    for listener in plan.listeners:
        yield listener.loc, listener.handler


def _find(plan: Blueprint, done: Compiled) -> None:
    near = plan.document.path or Path(plan.document.name)
    for loc, name in _named(plan):
        try:
            done.handlers[loc] = documents.load_handler(name, near, at=plan.document.at(loc))
        except UsageError as error:
            done.problems += error.problems


def _compile(
    plan: Blueprint, operation: OperationPlan, done: Compiled, adapted: Callable[[Handler], Handler] | None
) -> None:
    loc = (*operation.loc, "handler")
    handler = done.handlers.get(loc)
    if handler is None and (operation.kind == "custom" or operation.record is None) and not operation.renews:
        return  # what is wrong with it is said elsewhere
    called = adapted(handler) if adapted and handler else handler
    try:
        done.operations[operation.tool] = compile_operation(operation, called, plan.records)
    except BadSignature as error:
        done.problems.append(_misfit(plan, loc, operation.handler or "", handler, error, EXAMPLE))
    except TakenArgument as error:
        message = f"operation {operation.name!r} has an argument {str(error)!r} of its own, like the access token"
        hint = "Name the token otherwise: auth: { token: …, argument: access_token }."
        done.problems.append(Problem(message, plan.document.at(operation.loc, key=True), hint=hint))


def _misfit(
    plan: Blueprint, loc: Loc, name: str, handler: Handler | None, error: BadSignature, example: str
) -> Problem:
    code = getattr(handler, "__code__", None)
    where = ""
    if code is not None:
        where = f" ({Position(documents.path_shown(Path(code.co_filename)), code.co_firstlineno)})"
    return Problem(f"handler {name!r}{where} {error}", plan.document.at(loc), hint=f"Write it as: {example}.")


def files_of(handlers: Mapping[Loc, Handler]) -> Iterator[Path]:
    """The files whose code handlers are."""
    for handler in handlers.values():
        code = getattr(handler, "__code__", None)
        if code is not None:
            yield Path(code.co_filename)
