"""Rows inside rows: what `include: [line_items]` means, how children are read inline, and how they are created.

Children are the rows of another record that refer to this one. Knows records, and tables by what it asks of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from squall.call import Refused
from squall.errors import nearest, shown
from squall.worlds.fields.compound import RefType
from squall.worlds.file.shapes import Misread
from squall.worlds.naming import plural
from squall.worlds.services.params import Param
from squall.worlds.tables.records import Record
from squall.worlds.tables.refusals import InvalidRow
from squall.worlds.tables.rows import Stored

if TYPE_CHECKING:
    from squall.worlds.world import World

Writer = Callable[["World", Stored], dict[str, Any]]


@dataclass(frozen=True)
class Child:
    """Rows of `record` whose `field` refers to the row that they stand in, under `key`."""

    key: str
    record: Record
    field: str

    def rows(self, world: World, parent: Any) -> list[dict[str, Any]]:
        """The children of a row, in their wire form."""
        return [self.record.wire(row) for row in world.tables[self.record.name].select_stored({self.field: parent})]

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the children in an answer."""
        return {"type": "array", "items": self.record.schema()}

    def param(self, *, required: bool) -> Param:
        """The children as an argument of `create`."""
        own = (self.field, self.record.lifecycle.version)
        given = {name: kind.schema() for name, kind in self.record.fields.items() if name not in own}
        item = {"type": "object", "properties": given, "additionalProperties": False}
        words = f"the {self.key.replace('_', ' ')} to create with it"
        return Param(self.key, required, {"type": "array", "items": item}, None, words)

    def create(self, world: World, parent: Any, given: Any) -> None:
        """Add the children of a new row. Raises `InvalidRow` for what does not fit, `Refused` for what is no list."""
        if not isinstance(given, list | tuple):
            raise Refused(f"{self.key}: {'null' if given is None else shown(given)} is not a list", "arguments")
        table = world.tables[self.record.name]
        for place, item in enumerate(given):
            where = f"{self.key}[{place}]"
            if not isinstance(item, Mapping):
                raise Refused(f"{where}: {shown(item)} is not an object", "arguments")
            if self.field in item:
                raise Refused(f"{where}: {self.field} is what it stands in; leave it out", "arguments")
            try:
                table.insert_stored({**item, self.field: parent})
            except InvalidRow as error:
                raise InvalidRow(f"{where}: {error.brief}", reason=error.reason) from error


def writer(record: Record, children: tuple[Child, ...]) -> Writer:
    """What turns a stored row into its wire form, its children inside."""
    wire = record.wire
    if not children:
        return lambda _world, row: wire(row)
    return lambda world, row: wire(row) | {child.key: child.rows(world, row["id"]) for child in children}


def schema(record: Record, children: tuple[Child, ...]) -> dict[str, Any]:
    """JSON Schema of what `writer` gives."""
    plain = record.schema()
    return {**plain, "properties": plain["properties"] | {child.key: child.schema() for child in children}}


def child(records: Mapping[str, Record], parent: Record, text: str) -> Child:
    """What `text` in an `include` means, or `Misread`: `line_items`, or `transfers.source` to say by which field."""
    found, named, via = _record(records, parent, text), text, ""
    if found is None:
        named, _, via = text.rpartition(".")
        found = _record(records, parent, named)
    referring = [record for record in records.values() if _referring(record, parent)]
    known = [plural(record.short) for record in referring]
    if found is None or (via and via not in found.fields):
        hint = f"records that refer to {parent.short}: {', '.join(known) or 'none'}"
        raise Misread(f"{shown(text)} is no record", near=nearest(text, known), hint=hint)
    fields = _referring(found, parent)
    if (via and via not in fields) or not fields:
        what = f"{found.name}.{via} does not refer" if via else f"{found.name} has no field that refers"
        raise Misread(f"{what} to {parent.name}", hint=f"write {via or parent.short}: ref[{parent.name}] to have one")
    if len(fields) > 1 and not via:
        ways = " or ".join(f"{named}.{field}" for field in fields)
        raise Misread(f"{found.name} refers to {parent.name} in {' and '.join(fields)}", hint=f"write {ways}")
    key = named.rpartition(".")[2]
    if key in parent.fields:
        raise Misread(f"{parent.name} has a field {key!r} of its own, so that no rows can be included as {key!r}")
    return Child(key, found, via or fields[0])


def _record(records: Mapping[str, Record], parent: Record, name: str) -> Record | None:
    """The record of a name, in the singular or plural; one of the parent's service before others."""
    service, _, short = name.rpartition(".")
    meant = [
        record
        for record in records.values()
        if short in (record.short, plural(record.short)) and service in ("", record.service)
    ]
    meant.sort(key=lambda record: (record.service != parent.service, record.short != short))
    own = [record for record in meant if record.service == parent.service]
    return meant[0] if own or len(meant) == 1 else None


def _referring(record: Record, parent: Record) -> list[str]:
    return [name for name, kind in record.fields.items() if isinstance(kind, RefType) and kind.target == parent.name]
