"""What the built-in kinds do with one row: get, create, update, delete. Lists have a module of their own, `listing`.

Knows tables and transactions; nothing of tools, faults or recording.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from squall.call import Refused
from squall.worlds.params import Arguments
from squall.worlds.records import Record
from squall.worlds.refusals import InvalidRow, NoSuchRow
from squall.worlds.transaction import Begin

if TYPE_CHECKING:
    from squall.worlds.world import World

Run = Callable[["World", Mapping[str, Any], Begin], Any]
"""Runs an operation in a world: with its arguments, and with what opens the transaction of the call."""


def _get(record: Record, arguments: Arguments) -> Run:
    name, wire, key = record.name, record.wire, record.key

    def run(world: World, args: Mapping[str, Any], _begin: Begin) -> Any:
        wanted = args.get("id")
        if len(args) != 1 or type(wanted) is not key:
            wanted = arguments.converted(args)["id"]
        row = world.tables[name].stored(wanted)
        if row is None:
            raise Refused(f"{record.short} {wanted!r} not found", "not_found")
        return wire(row)

    return run


def _create(record: Record, arguments: Arguments) -> Run:
    name, wire = record.name, record.wire

    def run(world: World, args: Mapping[str, Any], begin: Begin) -> Any:
        arguments.named(args)
        try:
            with begin():
                return wire(world.tables[name].insert_stored(args))
        except InvalidRow as error:
            raise Refused(error.brief, error.reason) from error

    return run


def _update(record: Record, arguments: Arguments) -> Run:
    name, wire, key = record.name, record.wire, record.key

    def run(world: World, args: Mapping[str, Any], begin: Begin) -> Any:
        arguments.named(args)
        changes = dict(args)
        wanted = changes.pop("id")
        if type(wanted) is not key:
            arguments.converted({"id": wanted})
        try:
            with begin():
                return wire(world.tables[name].update_stored(wanted, changes))
        except InvalidRow as error:
            raise Refused(error.brief, error.reason) from error
        except NoSuchRow as error:
            raise Refused(f"{record.short} {wanted!r} not found", "not_found") from error

    return run


def _delete(record: Record, arguments: Arguments) -> Run:
    name, wire = record.name, record.wire

    def run(world: World, args: Mapping[str, Any], begin: Begin) -> Any:
        wanted = arguments.converted(args)["id"]
        try:
            with begin():
                return wire(world.tables[name].delete_stored(wanted))
        except NoSuchRow as error:
            raise Refused(f"{record.short} {wanted!r} not found", "not_found") from error

    return run


RUNS: dict[str, Callable[[Record, Arguments], Run]] = {
    "get": _get,
    "create": _create,
    "update": _update,
    "delete": _delete,
}
"""What makes the run of an operation, by kind."""
