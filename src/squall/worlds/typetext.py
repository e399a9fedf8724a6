"""The text form of types: `str`, `enum[a, b]`, `ref[service.record]`, `list[T]`, `int[1..10]`, `str(email)`, `T?`.

Reads one declaration, which is a text, a mapping (nested fields) or a list of one declaration (a list of those).
Knows no file: whoever reads one turns `BadType` into a problem with a position.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from squall.documents import duration
from squall.errors import nearest, shown
from squall.worlds.cells import HINTS
from squall.worlds.compound import ListType, MappingType, RefType
from squall.worlds.types import (
    BoolType,
    DatetimeType,
    DateType,
    DecimalType,
    EnumType,
    FieldType,
    FloatType,
    IntType,
    StrType,
)

WORDS = ("str", "int", "float", "bool", "datetime", "date", "decimal", "enum", "ref", "list")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
KeyOf = Callable[[str], Literal["str", "int"]]
"""Gives the type of the ids of `service.record`; raises `BadType` when there is no such record."""

_SHAPE = re.compile(r"\s*(?P<word>\w+)\s*(?P<rest>.*?)\s*(?P<optional>\?)?\s*\Z", re.DOTALL)
_ALL = (
    "types are str, int, float, bool, datetime, date, decimal, enum[a, b], ref[service.record], list[T]; "
    "T? may be null, int[1..10] is a range, str(email) a hint"
)


class BadType(ValueError):
    """A declaration that is no type."""

    def __init__(self, message: str, *, near: str | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.near = near
        self.hint = hint


def parse(declared: Any, key_of: KeyOf) -> FieldType:
    """The type that `declared` describes, or `BadType`; `blueprint` gives nested ones their positions."""
    if isinstance(declared, dict):
        return MappingType("mapping", fields={name: parse(inner, key_of) for name, inner in declared.items()})
    if isinstance(declared, list) and len(declared) == 1:
        return ListType("list", item=parse(declared[0], key_of))
    if not isinstance(declared, str):
        raise BadType(f"{shown(declared)} is not a type", hint=_ALL)
    match = _SHAPE.match(declared)
    if not match or match["word"] not in WORDS:
        word = match["word"] if match else declared
        raise BadType(f"unknown type {shown(declared)}", near=nearest(word, WORDS), hint=_ALL)
    return _build(match["word"], match["rest"], declared.strip(), key_of, optional=bool(match["optional"]))


def _build(word: str, rest: str, text: str, key_of: KeyOf, *, optional: bool) -> FieldType:
    brackets = rest[1:-1].strip() if rest.startswith("[") and rest.endswith("]") else None
    hint = rest[1:-1].strip() if rest.startswith("(") and rest.endswith(")") else None
    if rest and brackets is None and hint is None:
        raise BadType(f"{shown(text)} is not a type: {shown(rest)} after {word} means nothing", hint=_ALL)
    if hint is not None:
        return _hinted(word, hint, text, optional=optional)
    if word == "enum":
        return EnumType(text, members=_members(brackets, text), optional=optional)
    if word == "ref":
        if not brackets:
            raise BadType(f"{shown(text)} says no record", hint="write ref[service.record]")
        return RefType(text, target=brackets, key=key_of(brackets), optional=optional)
    if word == "list":
        if not brackets:
            raise BadType(f"{shown(text)} says nothing of its items", hint="write list[str], for example")
        return ListType(text, item=parse(brackets, key_of), optional=optional)
    return _scalar(word, brackets, text, optional=optional)


def _hinted(word: str, hint: str, text: str, *, optional: bool) -> FieldType:
    if word not in ("str", "int", "float", "decimal"):
        raise BadType(f"{shown(text)}: {word} takes no hint", hint="hints are for str, int, float and decimal")
    if hint not in HINTS[word]:
        raise BadType(
            f"unknown hint {hint!r}", near=nearest(hint, HINTS[word]), hint=f"hints: {', '.join(HINTS[word])}"
        )
    kinds: dict[str, Callable[..., FieldType]] = {
        "str": StrType,
        "int": IntType,
        "float": FloatType,
        "decimal": DecimalType,
    }
    return kinds[word](text, hint=hint, optional=optional)


def _members(brackets: str | None, text: str) -> tuple[str, ...]:
    members = tuple(part.strip().strip("'\"") for part in (brackets or "").split(","))
    if not all(members):
        raise BadType(f"{shown(text)} has an empty member", hint="write enum[a, b]")
    for position, member in enumerate(members):
        if member in members[:position]:
            raise BadType(f"{shown(text)} has {member!r} twice", hint="leave one of them out")
    return members


def _scalar(word: str, brackets: str | None, text: str, *, optional: bool) -> FieldType:
    if word in ("str", "bool"):
        if brackets is not None:
            raise BadType(f"{shown(text)}: {word} takes no range", hint=_ALL)
        return StrType(text, optional=optional) if word == "str" else BoolType(text, optional=optional)
    low, high = (None, None) if brackets is None else _range(word, brackets, text)
    if word == "int":
        return IntType(text, low=low, high=high, optional=optional)
    if word == "float":
        return FloatType(text, low=low, high=high, optional=optional)
    if word == "decimal":
        return DecimalType(text, low=low, high=high, optional=optional)
    if word == "datetime":
        return DatetimeType(text, low=low, high=high, optional=optional)
    return DateType(text, low=low, high=high, optional=optional)


def _range(word: str, brackets: str, text: str) -> tuple[Any, Any]:
    first, dots, last = brackets.partition("..")
    example = "datetime[-20d..0d]" if word in ("datetime", "date") else f"{word}[1..10]"
    if not dots or not (first.strip() or last.strip()):
        raise BadType(f"{shown(text)} is no range", hint=f"write {example}")
    low, high = (_bound(word, part.strip(), text, example) for part in (first, last))
    if low is not None and high is not None and low > high:
        raise BadType(f"{shown(text)} is an empty range: {first.strip()} is more than {last.strip()}")
    return low, high


def _bound(word: str, part: str, text: str, example: str) -> Any:
    if not part:
        return None
    try:
        if word == "int":
            return int(part)
        if word == "float":
            return float(part)
        if word == "decimal":
            return Decimal(part)
        return -duration(part[1:]) if part.startswith("-") else duration(part.removeprefix("+"))
    except (ValueError, InvalidOperation):
        raise BadType(f"{shown(text)}: {part!r} is no bound of a range", hint=f"write {example}") from None
