"""What a world file means, as data: its records, what they start with, its operations, and what is wrong with it.

Filled by `blueprint` and the modules that it asks; knows how problems get their places, and reads nothing itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from squall.documents import Document, duration
from squall.errors import Problem, nearest, shown
from squall.worlds.fields.typetext import NAME
from squall.worlds.file.spec import Kind
from squall.worlds.seeds.datafiles import DataFile
from squall.worlds.seeds.seeding import Plan, SeedProblem
from squall.worlds.services.auth import Auth
from squall.worlds.services.defaults import Default
from squall.worlds.services.filters import Filter
from squall.worlds.services.idempotency import Key
from squall.worlds.services.nesting import Child
from squall.worlds.tables.records import Record

Loc = tuple[str | int, ...]


@dataclass(frozen=True)
class OperationPlan:
    """One operation of the file. `tool` is its name on the wire; `loc` leads to it in the document."""

    service: str
    name: str
    tool: str
    kind: Kind
    loc: Loc
    record: Record | None = None
    filters: tuple[Filter, ...] = ()
    sort: tuple[str, ...] = ()
    page_size: int | None = None
    lag: float = 0.0
    include: tuple[Child, ...] = ()
    key: Key | None = None
    required: tuple[str, ...] = ()
    defaults: Mapping[str, Default] = field(default_factory=dict)
    emits: str | None = None
    handler: str | None = None
    auth: Auth | None = None
    renews: bool = False
    """Whether it is the operation that gives new tokens of `auth`."""
    description: str | None = None
    access: Literal["read", "write"] = "read"
    idempotent: bool = False
    destructive: bool = False


@dataclass(frozen=True)
class ListenerPlan:
    """A function that is told of an event."""

    event: str
    handler: str
    loc: Loc


class Emitted(NamedTuple):
    """What an event's data are: a row of a record (`service.record`), and rows of others inside it."""

    record: str
    children: tuple[Child, ...] = ()


@dataclass
class Blueprint:
    """The meaning of one document."""

    document: Document
    problems: list[Problem] = field(default_factory=list)
    records: dict[str, Record] = field(default_factory=dict)
    record_locs: dict[str, Loc] = field(default_factory=dict)
    """Where the fields of each record stand."""
    plans: list[Plan] = field(default_factory=list)
    seed_locs: dict[str, Loc] = field(default_factory=dict)
    data: dict[str, DataFile] = field(default_factory=dict)
    """The data file that a record starts with, by record."""
    operations: list[OperationPlan] = field(default_factory=list)
    events: dict[str, Loc] = field(default_factory=dict)
    """Where each event is emitted first; a place begins with `services` and the service."""
    emitted: dict[str, list[Emitted | None]] = field(default_factory=dict)
    """The data of each event, once for whatever emits it; None where they are not known."""
    listeners: list[ListenerPlan] = field(default_factory=list)

    def problem(
        self, message: str, loc: Loc, *, near: str | None = None, hint: str | None = None, key: bool = False
    ) -> None:
        """Notes one thing that is wrong."""
        self.problems.append(Problem(message, self.document.at(loc, key=key), near, sentence(hint)))

    def only(self, given: Mapping[Any, Any], keys: tuple[str, ...], loc: Loc) -> None:
        """Notes every key of `given` that is none of `keys`."""
        for key in given:
            if key not in keys:
                hint = f"Valid keys here: {', '.join(keys)}."
                near = nearest(key, keys)
                self.problem(f"unknown key {shown(key)}", (*loc, key), near=near, hint=hint, key=True)

    def duration(self, given: Mapping[Any, Any], key: str, loc: Loc) -> float | None:
        """The length of time at `key`, in seconds, or None; what is none is noted."""
        if given.get(key) is None:
            return None
        try:
            return duration(given[key])
        except ValueError as error:
            self.problem(str(error), (*loc, key))
            return None

    def event(self, name: Any, loc: Loc, data: Emitted | None = None) -> bool:
        """Notes that something emits the event `name`, with `data` if that is known; whether it can be one's name."""
        if isinstance(name, str) and NAME.match(name):
            self.events.setdefault(name, loc)
            self.emitted.setdefault(name, []).append(data)
            return True
        hint = "a name is letters, digits and _ and begins with a letter"
        self.problem(f"{shown(name)} cannot name an event", loc, hint=hint)
        return False

    def seed_problem(self, found: SeedProblem) -> None:
        """Notes what seeding found, at the row of the file or at the record's declaration."""
        record = found.record
        if found.row is None:
            loc: Loc = (*self.record_locs[record.name], *found.path)
            self.problem(found.message, loc, hint="seed some, or make the field optional (?)")
            return
        fixed = next(len(plan.fixed) for plan in self.plans if plan.record is record)
        if found.row >= fixed:
            row = found.row - fixed
            at = self.data[record.name].cells.at(row, found.path)
            self.problems.append(Problem(f"row {row + 1}: {found.message}", at, found.near))
            return
        loc = (*self.seed_locs[record.name], found.row, *found.path)
        unknown = found.path[0] not in record.fields
        self.problem(found.message, loc, near=found.near, key=unknown)

    def own(self, service: str) -> Mapping[str, Record]:
        """The records of one service by their short names."""
        return {record.short: record for record in self.records.values() if record.service == service}


def sentence(hint: str | None) -> str | None:
    """A hint as it is shown: with a capital and a full stop."""
    return hint and f"{hint[0].upper()}{hint[1:].removesuffix('.')}."
