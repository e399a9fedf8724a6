"""What a field may hold: frozen types that check a value, put it on the wire and describe themselves.

`check` takes what JSON or Python offers and returns what a row stores (datetimes are aware UTC, decimals `Decimal`);
`wire` turns the stored value into JSON's own kinds; `schema` is JSON Schema. Here are the types of single values but
numbers, which are in `numeric`; those made of others and references are in `compound`, the text form of all in
`typetext`. Knows no table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any, ClassVar, Protocol

from squall.errors import nearest, shown

MEMBERS = 30
"""So many members of an enum are named to whoever gave none of them."""


class Unfit(ValueError):
    """A value that a type does not take. `path` leads from the field to the spot inside it."""

    def __init__(
        self, message: str, *, near: str | None = None, path: tuple[str | int, ...] = (), ref: bool = False
    ) -> None:
        super().__init__(message)
        self.message = message
        self.near = near
        self.path = path
        self.ref = ref

    def inside(self, step: str | int) -> Unfit:
        """The same, seen from one level further out."""
        return Unfit(self.message, near=self.near, path=(step, *self.path), ref=self.ref)

    def said(self, name: str) -> str:
        """As a sentence about the field `name`."""
        where = name + "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path)
        tail = f"; did you mean {self.near!r}?" if self.near else ""
        return f"{where}: {self.message}{tail}"


class Rows(Protocol):
    """Who knows which rows exist."""

    def has(self, target: str, key: Any) -> bool:
        """Whether the record `target` has a row `key`."""

    def near(self, target: str, key: Any) -> str | None:
        """An id of `target` that looks like `key`."""


def unlike(value: Any, wanted: str) -> Unfit:
    """That `value` is not what was `wanted`."""
    return Unfit(f"{'null' if value is None else shown(value)} is not {wanted}")


def nullable(schema: dict[str, Any]) -> dict[str, Any]:
    """`schema`, and null as well."""
    if "type" not in schema:
        return {"anyOf": [schema, {"type": "null"}]} if schema else schema
    kind = schema["type"]
    wider = {**schema, "type": [*(kind if isinstance(kind, list) else [kind]), "null"]}
    if "enum" in schema:
        wider["enum"] = [*schema["enum"], None]
    return wider


@dataclass(frozen=True, slots=True)
class FieldType:
    """Base of all types. `text` is the type as written."""

    text: str
    optional: bool = field(default=False, kw_only=True)
    plain: ClassVar[bool] = True
    """Whether the stored value is immutable and its own JSON form."""

    def check(self, value: Any, rows: Rows | None = None) -> Any:
        """The value to store, or `Unfit`. Without `rows` references are not looked up."""
        if value is None and self.optional:
            return None
        return self._check(value, rows)

    def wire(self, value: Any) -> Any:
        """The JSON form of a stored value."""
        return value if value is None else self._wire(value)

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the wire form."""
        return nullable(self._schema()) if self.optional else self._schema()

    def _check(self, value: Any, rows: Rows | None) -> Any:
        raise NotImplementedError(self)

    def _wire(self, value: Any) -> Any:
        return value

    def _schema(self) -> dict[str, Any]:
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class UnreadType(FieldType):
    """Stands in for a declaration that is wrong, while the rest of its file is read; takes anything."""

    def _check(self, value: Any, rows: Rows | None) -> Any:
        return value

    def _schema(self) -> dict[str, Any]:
        return {}


@dataclass(frozen=True, slots=True)
class StrType(FieldType):
    """Text. `hint` tells seeding what kind of text."""

    hint: str | None = None

    def _check(self, value: Any, rows: Rows | None) -> str:
        if not isinstance(value, str):
            raise unlike(value, "a string")
        return str(value)

    def _schema(self) -> dict[str, Any]:
        return {"type": "string"}


@dataclass(frozen=True, slots=True)
class BoolType(FieldType):
    """True or false."""

    def _check(self, value: Any, rows: Rows | None) -> bool:
        if not isinstance(value, bool):
            raise unlike(value, "true or false")
        return value

    def _schema(self) -> dict[str, Any]:
        return {"type": "boolean"}


@dataclass(frozen=True, slots=True)
class DatetimeType(FieldType):
    """A moment, stored in UTC; without a zone it is read as UTC.

    `low` and `high` (seconds from the clock's start) say where seeding puts it; later writes may be anywhere.
    """

    plain: ClassVar[bool] = False
    low: float | None = None
    high: float | None = None

    def _check(self, value: Any, rows: Rows | None) -> datetime:
        moment = value
        if isinstance(value, str):
            try:
                moment = datetime.fromisoformat(value.strip())
            except ValueError:
                moment = None
        if not isinstance(moment, datetime):
            raise unlike(value, "a date and time such as 2025-06-01T12:00:00Z")
        try:
            return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
        except OverflowError:
            raise unlike(value, "within the years 1 to 9999 in UTC") from None

    def _wire(self, value: Any) -> str:
        return f"{value.replace(tzinfo=None).isoformat()}Z"  # stored moments are in UTC

    def _schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date-time"}


@dataclass(frozen=True, slots=True)
class DateType(FieldType):
    """A calendar day. `low` and `high` as for datetimes."""

    plain: ClassVar[bool] = False
    low: float | None = None
    high: float | None = None

    def _check(self, value: Any, rows: Rows | None) -> date:
        day = value
        if isinstance(value, str):
            try:
                day = date.fromisoformat(value.strip())
            except ValueError:
                day = None
        if not isinstance(day, date) or isinstance(day, datetime):
            raise unlike(value, "a date such as 2025-06-01")
        return day

    def _wire(self, value: Any) -> str:
        return str(value.isoformat())

    def _schema(self) -> dict[str, Any]:
        return {"type": "string", "format": "date"}


@dataclass(frozen=True, slots=True)
class EnumType(FieldType):
    """One of a few texts."""

    members: tuple[str, ...] = ()
    _known: frozenset[str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_known", frozenset(self.members))

    def _check(self, value: Any, rows: Rows | None) -> str:
        if not isinstance(value, str) or value not in self._known:
            near = nearest(value, self.members) if isinstance(value, str) else None
            more = len(self.members) - MEMBERS
            wanted = ", ".join(self.members[:MEMBERS]) + (f" and {more} more" if more > 0 else "")
            raise Unfit(f"{'null' if value is None else shown(value)} is not one of {wanted}", near=near)
        return str(value)

    def _schema(self) -> dict[str, Any]:
        return {"type": "string", "enum": list(self.members)}
