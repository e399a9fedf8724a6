"""Types that reach further than one value: references to rows, lists, nested mappings.

Whether a referenced row exists is asked of `Rows`; knows no table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from squall.errors import nearest, shown
from squall.worlds.fields.types import FieldType, Rows, StrType, Unfit, unlike


@dataclass(frozen=True, slots=True)
class RefType(FieldType):
    """The id of a row of another record (`service.record`); `key` says whether those ids are texts or numbers."""

    target: str = ""
    key: Literal["str", "int"] = "str"

    def _check(self, value: Any, rows: Rows | None) -> Any:
        fits = isinstance(value, str) if self.key == "str" else isinstance(value, int) and not isinstance(value, bool)
        short = self.target.rpartition(".")[2]
        if not fits:
            raise unlike(value, f"the id of a {short} ({'a string' if self.key == 'str' else 'a whole number'})")
        if rows is not None and not rows.has(self.target, value):
            near = rows.near(self.target, value)
            raise Unfit(f"there is no {short} with id {shown(value)}", near=near, ref=True)
        return value

    def _schema(self) -> dict[str, Any]:
        kind = "string" if self.key == "str" else "integer"
        return {"type": kind, "description": f"the id of a {self.target.rpartition('.')[2]}"}


@dataclass(frozen=True, slots=True)
class ListType(FieldType):
    """A list of one type."""

    plain: ClassVar[bool] = False
    item: FieldType = field(default=StrType("str"))

    def _check(self, value: Any, rows: Rows | None) -> list[Any]:
        if not isinstance(value, list | tuple):
            raise unlike(value, "a list")
        checked = []
        for position, item in enumerate(value):
            try:
                checked.append(self.item.check(item, rows))
            except Unfit as unfit:
                raise unfit.inside(position) from None
        return checked

    def _wire(self, value: Any) -> list[Any]:
        return [self.item.wire(item) for item in value]

    def _schema(self) -> dict[str, Any]:
        return {"type": "array", "items": self.item.schema()}


@dataclass(frozen=True, slots=True)
class MappingType(FieldType):
    """A nested mapping with fields of its own; those that are missing are null."""

    plain: ClassVar[bool] = False
    fields: Mapping[str, FieldType] = field(default_factory=dict)

    def _check(self, value: Any, rows: Rows | None) -> dict[str, Any]:
        if not isinstance(value, Mapping):
            raise unlike(value, f"a mapping of {', '.join(self.fields)}")
        for name in value:
            if name not in self.fields:
                known = f"unknown field {shown(name)}; there are {', '.join(self.fields)}"
                raise Unfit(known, near=nearest(name, self.fields))
        checked: dict[str, Any] = {}
        for name, kind in self.fields.items():
            try:
                checked[name] = kind.check(value[name], rows) if name in value else None
            except Unfit as unfit:
                raise unfit.inside(name) from None
        return checked

    def _wire(self, value: Any) -> dict[str, Any]:
        return {name: kind.wire(value[name]) for name, kind in self.fields.items()}

    def _schema(self) -> dict[str, Any]:
        properties = {name: kind.schema() for name, kind in self.fields.items()}
        return {"type": "object", "properties": properties, "additionalProperties": False}


def targets(kind: FieldType) -> Iterable[str]:
    """The records that a type refers to, nested ones included."""
    if isinstance(kind, RefType):
        yield kind.target
    elif isinstance(kind, ListType):
        yield from targets(kind.item)
    elif isinstance(kind, MappingType):
        for inner in kind.fields.values():
            yield from targets(inner)


def references(name: str, kind: FieldType, value: Any) -> Iterable[tuple[str, str, Any]]:
    """Every reference in a stored value: where it stands, the record it points at, the id."""
    if value is None:
        return
    if isinstance(kind, RefType):
        yield name, kind.target, value
    elif isinstance(kind, ListType):
        for position, item in enumerate(value):
            yield from references(f"{name}[{position}]", kind.item, item)
    elif isinstance(kind, MappingType):
        for inner, inner_kind in kind.fields.items():
            yield from references(f"{name}.{inner}", inner_kind, value[inner])
