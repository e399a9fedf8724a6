"""The filters of a `list`: `status` (equal), `total.gte`, `state.in`, `name.contains`, each an argument.

On the wire `total.gte` is `total_gte`, since names of arguments are letters, digits and _. A row whose field is null
meets no filter but the equal one with null. Knows records and stored rows, and no table.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from squall.errors import nearest, shown
from squall.worlds.fields.compound import ListType, MappingType
from squall.worlds.fields.numeric import DecimalType, FloatType, IntType
from squall.worlds.fields.types import DatetimeType, DateType, FieldType, StrType
from squall.worlds.file.shapes import Misread
from squall.worlds.services.params import Param
from squall.worlds.tables.records import Record

COMPARE: Mapping[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "gt": ("is more than this", lambda value, wanted: value > wanted),
    "gte": ("is this or more", lambda value, wanted: value >= wanted),
    "lt": ("is less than this", lambda value, wanted: value < wanted),
    "lte": ("is this or less", lambda value, wanted: value <= wanted),
    "in": ("is one of these", lambda value, wanted: value in wanted),
    "contains": ("contains this", lambda value, wanted: wanted in value),
}
LATER = {"gt": "is after this", "gte": "is this or later", "lt": "is before this", "lte": "is this or earlier"}


@dataclass(frozen=True)
class Filter:
    """One filter. Without `operator` it asks for equality, which tables answer from their indexes, as they do `in`."""

    field: str
    operator: str | None
    kind: FieldType

    @property
    def text(self) -> str:
        """How it is written in a file."""
        return self.field if self.operator is None else f"{self.field}.{self.operator}"

    @property
    def argument(self) -> str:
        """Its name on the wire."""
        return self.field if self.operator is None else f"{self.field}_{self.operator}"

    @property
    def param(self) -> Param:
        """It as an argument of its operation."""
        schema = self.kind.schema()
        words = schema.pop("description", None)
        if self.operator is not None:
            said = LATER if isinstance(self.kind, DatetimeType | DateType) else {}
            words = f"only those whose {self.field} {said.get(self.operator, COMPARE[self.operator][0])}"
            if self.operator == "contains" and isinstance(self.kind, StrType):
                words += ", in capital or small letters"
        return Param(self.argument, required=False, schema=schema, description=words)

    def keeps(self, stored: Mapping[str, Any], wanted: Any) -> bool:
        """Whether a row passes a comparison, `wanted` being the checked argument."""
        value = stored[self.field]
        if self.operator is None or value is None:
            return bool(self.operator is None and value == wanted)
        if self.operator == "contains" and isinstance(value, str):
            return wanted.casefold() in value.casefold()
        return COMPARE[self.operator][1](value, wanted)


def read(record: Record, text: str) -> Filter:
    """The filter that a file's text means for `record`, or `Misread`."""
    field, _, operator = text.partition(".")
    kind = record.fields.get(field)
    if kind is None:
        hint = f"fields: {', '.join(record.fields)}"
        raise Misread(f"{record.name} has no field {shown(field)}", near=nearest(field, record.fields), hint=hint)
    if "." not in text:
        if isinstance(kind, MappingType | ListType):
            raise Misread(f"{field!r} is nested and cannot be filtered by")
        return Filter(field, None, kind)
    possible = comparisons(kind)
    if operator not in possible:
        near = nearest(operator, possible)
        known = [] if isinstance(kind, ListType | MappingType) else [field]
        known += [f"{field}.{name}" for name in possible]
        raise Misread(
            f"{field!r} is {kind.text} and cannot be filtered by {shown(operator)}",
            near=near and f"{field}.{near}",
            hint=f"filters: {', '.join(known)}" if known else None,
        )
    return Filter(field, operator, possible[operator])


def comparisons(kind: FieldType) -> dict[str, FieldType]:
    """The comparisons that a field of this type can have, each with the type of its argument."""
    if isinstance(kind, MappingType):
        return {}
    if isinstance(kind, ListType):
        item = dataclasses.replace(kind.item, optional=False)
        return {} if isinstance(item, MappingType | ListType) else {"contains": item}
    bare = dataclasses.replace(kind, optional=False)
    found: dict[str, FieldType] = {}
    if isinstance(bare, IntType | FloatType | DecimalType | DatetimeType | DateType):
        wide = dataclasses.replace(bare, low=None, high=None)  # whoever asks for `lte: 1000` need not know the range
        found |= dict.fromkeys(("gt", "gte", "lt", "lte"), wide)
    found["in"] = ListType("list", item=bare)
    if isinstance(bare, StrType):
        found["contains"] = StrType("str")
    return found
