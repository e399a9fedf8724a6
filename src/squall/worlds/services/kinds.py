"""What the built-in kinds do with one row: get, create, update, delete. Lists have a module of their own, `listing`.

Knows tables and transactions; nothing of tools, faults or recording.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from squall.call import Refused
from squall.worlds.file.plans import OperationPlan
from squall.worlds.services.defaults import filled
from squall.worlds.services.nesting import writer
from squall.worlds.services.params import Arguments
from squall.worlds.tables.records import Record
from squall.worlds.tables.refusals import InvalidRow, NoSuchRow
from squall.worlds.tables.transaction import Begin, Run

if TYPE_CHECKING:
    from squall.worlds.world import World


def _get(plan: OperationPlan, record: Record, arguments: Arguments) -> Run:
    name, key = record.name, record.key
    write = writer(record, plan.include)

    def run(world: World, args: Mapping[str, Any], _begin: Begin) -> Any:
        wanted = args.get("id")
        if len(args) != 1 or type(wanted) is not key:
            wanted = arguments.converted(args)["id"]
        row = world.tables[name].stored(wanted)
        if row is None:
            raise Refused(f"{record.short} {wanted!r} not found", "not_found")
        return write(world, row)

    return run


def _create(plan: OperationPlan, record: Record, arguments: Arguments) -> Run:
    name, defaults = record.name, plan.defaults
    children = {child.key: child for child in plan.include}
    apart = {*children, *([plan.key.field] if plan.key else ())} - record.fields.keys()
    write = writer(record, plan.include)

    def run(world: World, args: Mapping[str, Any], begin: Begin) -> Any:
        arguments.named(args)
        own = {field: value for field, value in args.items() if field not in apart} if apart else args
        if defaults:
            own = filled(own, defaults, world.clock.now())
        try:
            with begin() as transaction:
                row = world.tables[name].insert_stored(own)
                for key, child in children.items():
                    if key in args:
                        child.create(world, row["id"], args[key])
                answer = write(world, row)
                transaction.emit(plan.emits, answer)
                return answer
        except InvalidRow as error:
            raise Refused(error.brief, error.reason) from error

    return run


def _update(plan: OperationPlan, record: Record, arguments: Arguments) -> Run:
    name, wire, key, version = record.name, record.wire, record.key, record.lifecycle.version

    def run(world: World, args: Mapping[str, Any], begin: Begin) -> Any:
        arguments.named(args)
        changes = dict(args)
        wanted = changes.pop("id")
        if type(wanted) is not key or (version is not None and type(changes[version]) is not int):
            arguments.converted(args)
        try:
            with begin() as transaction:
                answer = wire(world.tables[name].update_stored(wanted, changes))
                transaction.emit(plan.emits, answer)
                return answer
        except InvalidRow as error:
            raise Refused(error.brief, error.reason) from error
        except NoSuchRow as error:
            raise Refused(f"{record.short} {wanted!r} not found", "not_found") from error

    return run


def _delete(plan: OperationPlan, record: Record, arguments: Arguments) -> Run:
    name, wire = record.name, record.wire

    def run(world: World, args: Mapping[str, Any], begin: Begin) -> Any:
        wanted = arguments.converted(args)["id"]
        try:
            with begin() as transaction:
                answer = wire(world.tables[name].delete_stored(wanted))
                transaction.emit(plan.emits, answer)
                return answer
        except NoSuchRow as error:
            raise Refused(f"{record.short} {wanted!r} not found", "not_found") from error

    return run


RUNS: dict[str, Callable[[OperationPlan, Record, Arguments], Run]] = {
    "get": _get,
    "create": _create,
    "update": _update,
    "delete": _delete,
}
"""What makes the run of an operation, by kind."""
