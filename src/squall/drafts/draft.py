"""A drafted world as data: services with their records, their operations, and what is left for a person to write.

Knows neither where it was drafted from nor how it is written down.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal, NamedTuple

Declared = Any
"""A type as world files declare it: a text, a mapping of nested fields, or a list of one declaration."""
Kind = Literal["get", "list", "create", "update", "delete"]


class FieldDraft(NamedTuple):
    """One field: its type, and what the type does not say."""

    declared: Declared
    notes: tuple[str, ...] = ()


def is_plain(drafted: FieldDraft) -> bool:
    """Whether a field holds one value, so that rows can be listed by it."""
    return isinstance(drafted.declared, str) and not drafted.declared.startswith("list[")


@dataclass
class RecordDraft:
    """One record of a service.

    `aliases` are names that fields may call it by, where its own was taken; `id_was` is its id's name in the original.
    """

    service: str
    name: str
    fields: dict[str, FieldDraft] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    key: Literal["str", "int"] = "str"
    aliases: tuple[str, ...] = ()
    id_was: str | None = None

    @property
    def full(self) -> str:
        """How records of other services refer to it."""
        return f"{self.service}.{self.name}"


class OperationDraft(NamedTuple):
    """One operation that a record answers. `record` is as the world file names it."""

    kind: Kind
    record: str
    filter: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    description: str | None = None
    notes: tuple[str, ...] = ()
    defaults: Mapping[str, Any] = MappingProxyType({})
    sort: tuple[str, ...] = ()


class Argument(NamedTuple):
    """One argument of a handler, with its annotation as text. `was` is its name where it came from."""

    name: str
    annotation: str
    required: bool
    was: str


class CustomDraft(NamedTuple):
    """One operation that needs a handler; `origin` says what it is in the original."""

    origin: str
    arguments: tuple[Argument, ...]
    description: str | None = None
    reads: bool = False


@dataclass
class ServiceDraft:
    """One service."""

    records: dict[str, RecordDraft] = field(default_factory=dict)
    operations: dict[str, OperationDraft] = field(default_factory=dict)
    customs: dict[str, CustomDraft] = field(default_factory=dict)


@dataclass
class Draft:
    """A whole world. `source` says where it comes from, in words."""

    name: str
    source: str
    services: dict[str, ServiceDraft] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @property
    def records(self) -> list[RecordDraft]:
        """All records, service by service."""
        return [record for service in self.services.values() for record in service.records.values()]

    @property
    def operations(self) -> dict[str, OperationDraft]:
        """The operations that work as they stand, by name."""
        return {name: drafted for service in self.services.values() for name, drafted in service.operations.items()}

    @property
    def customs(self) -> dict[str, CustomDraft]:
        """The operations that wait for a handler, by name."""
        return {name: drafted for service in self.services.values() for name, drafted in service.customs.items()}

    def service(self, name: str) -> ServiceDraft:
        """The service of this name, made when it is first asked for."""
        return self.services.setdefault(name, ServiceDraft())
