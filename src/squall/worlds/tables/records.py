"""A record's compiled form: its fields, how a row of it is checked, and how it goes onto the wire.

Shared by all worlds loaded from one file. Knows types; which rows exist is asked of `Rows`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from squall.errors import is_weather, joined, shown, suggestion
from squall.worlds.fields.compound import RefType, references, targets
from squall.worlds.fields.numeric import DecimalType
from squall.worlds.fields.types import BoolType, DatetimeType, DateType, EnumType, FieldType, Rows, Unfit, nullable
from squall.worlds.tables.lifecycle import Lifecycle
from squall.worlds.tables.refusals import InvalidRow
from squall.worlds.tables.rows import Row, row_class

__tracebackhide__ = is_weather

INDEXED = (RefType, EnumType, BoolType)
SPELT = (DatetimeType, DateType, DecimalType)
"""Types that are texts on the wire and stand for something else."""


class Record:
    """One record of a service. `fields` begins with `id` if the file does not declare it."""

    def __init__(
        self, service: str, short: str, fields: Mapping[str, FieldType], lifecycle: Lifecycle | None = None
    ) -> None:
        self.service = service
        self.short = short
        self.name = f"{service}.{short}"
        self.fields = dict(fields)
        self.lifecycle = lifecycle or Lifecycle()
        self.key: type[str | int] = int if self.fields["id"].text.startswith("int") else str
        self.row_class: type[Row] = row_class(self.fields)
        self.indexed = frozenset(name for name, kind in self.fields.items() if isinstance(kind, INDEXED))
        self.dated = next((name for name, kind in self.fields.items() if isinstance(kind, DatetimeType)), None)
        self.refs = tuple(name for name, kind in self.fields.items() if any(True for _ in targets(kind)))
        self.wire = _writer(self.fields)
        self.unquoted = frozenset(name for name, kind in self.fields.items() if isinstance(kind, SPELT))
        self._blank = dict.fromkeys(self.fields)

    def new(self, values: Mapping[str, Any], rows: Rows) -> dict[str, Any]:
        """A whole row from `values` but for its id; fields that are left out are null. Raises `InvalidRow`."""
        row = self._blank.copy()
        row.update(self.changes(values, rows))
        return row

    def changes(self, values: Mapping[str, Any], rows: Rows | None) -> dict[str, Any]:
        """`values` checked, as they are stored. Raises `InvalidRow` with all that does not fit."""
        checked: dict[str, Any] = {}
        wrong: list[str] = []
        malformed = False
        for name, value in values.items():
            kind = self.fields.get(name)
            if kind is None:
                wrong.append(self.unknown(name))
                malformed = True
                continue
            try:
                checked[name] = kind.check(value, rows)
            except Unfit as unfit:
                wrong.append(unfit.said(name))
                malformed = malformed or not unfit.ref
        if wrong:
            raise InvalidRow(joined(wrong), reason="arguments" if malformed else "invalid")
        return checked

    @property
    def listed(self) -> str:
        """Its fields, in words."""
        return f"it has {', '.join(self.fields)}"

    def unknown(self, name: object) -> str:
        """That there is no field `name`, in a sentence."""
        return f"{self.short} has no field {shown(name)}; {suggestion(name, self.fields, self.listed)}"

    def references(self, row: Mapping[str, Any]) -> Iterable[tuple[str, str, Any]]:
        """Every reference that a stored row holds: field, target record, id."""
        for name in self.refs:
            yield from references(name, self.fields[name], row[name])

    def schema(self) -> dict[str, Any]:
        """JSON Schema of a row on the wire: it requires nothing, and any field but the id may be null."""
        properties = {name: kind.schema() for name, kind in self.fields.items()}
        loose = {name: part if name == "id" else _loose(part) for name, part in properties.items()}
        return {"type": "object", "properties": loose}


def _loose(schema: dict[str, Any]) -> dict[str, Any]:
    kind = schema.get("type", ())
    return schema if "null" in kind else nullable(schema)


def _writer(fields: Mapping[str, FieldType]) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """What turns a stored row into its wire form: a plain copy wherever that is enough."""
    special = [(name, kind.wire) for name, kind in fields.items() if not kind.plain]
    if not special:
        return dict

    def write(row: Mapping[str, Any]) -> dict[str, Any]:
        copy = dict(row)
        for name, wire in special:
            copy[name] = wire(copy[name])
        return copy

    return write
