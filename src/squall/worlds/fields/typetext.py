"""The text form of types: `str`, `enum[a, b]`, `ref[service.record]`, `list[T]`, `int[1..10]`, `str(email)`, `T?`.

Reads one declaration, which is a text, a mapping (nested fields) or a list of one declaration (a list of those).
Knows no file: whoever reads one turns `Misread` into a problem with a position.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, NamedTuple

from squall.documents import duration
from squall.errors import nearest, shown
from squall.worlds.fields.compound import ListType, MappingType, RefType
from squall.worlds.fields.numeric import DIGITS, DecimalType, FloatType, IntType, endless
from squall.worlds.fields.types import BoolType, DatetimeType, DateType, EnumType, FieldType, StrType
from squall.worlds.file.shapes import Misread
from squall.worlds.seeds.cells import HINTS

WORDS = ("str", "int", "float", "bool", "datetime", "date", "decimal", "enum", "ref", "list")
NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z")
KeyOf = Callable[[str], Literal["str", "int"]]
"""Gives the type of the ids of `service.record`; raises `Misread` when there is no such record."""

DEEPEST = 32
"""So deep may types nest."""
LONGEST_AGO = 1_000 * 365.25 * 86_400
"""Bounds of moments, in seconds: calendars end where the year has five digits."""
ALL_TYPES = (
    "types are str, int, float, bool, datetime, date, decimal, enum[a, b], ref[service.record], list[T]; "
    "T? may be null, int[1..10] is a range, str(email) a hint"
)
_OPEN = "float[>0..<1] is above 0 and below 1, float[0..1] may be either"
ELSEWHERE = {
    "string": "str",
    "text": "str",
    "varchar": "str",
    "char": "str",
    "uuid": "str(uuid)",
    "email": "str(email)",
    "url": "str(url)",
    "integer": "int",
    "long": "int",
    "bigint": "int",
    "number": "float",
    "double": "float",
    "real": "float",
    "boolean": "bool",
    "timestamp": "datetime",
    "money": "decimal",
    "numeric": "decimal",
    "array": "list[T]",
}
"""What types are called in other languages, and here."""
NESTED = frozenset({"dict", "object", "map", "mapping", "json", "struct"})

_WORD = re.compile(r"\w+")


def parse(declared: Any, key_of: KeyOf, *, depth: int = 0) -> FieldType:
    """The type that `declared` describes, or `Misread`; `blueprint` gives nested ones their positions."""
    if depth > DEEPEST:
        raise Misread(f"a type that is nested more than {DEEPEST} deep", hint="flatten it, or make it a record")
    if isinstance(declared, dict):
        inner = {name: parse(part, key_of, depth=depth + 1) for name, part in declared.items()}
        return MappingType("mapping", fields=inner)
    if isinstance(declared, list) and len(declared) == 1:
        return ListType("list", item=parse(declared[0], key_of, depth=depth + 1))
    if not isinstance(declared, str):
        raise Misread(f"{shown(declared)} is not a type", hint=ALL_TYPES)
    text = declared.strip()
    bare = text.removesuffix("?")
    match = _WORD.match(bare)
    if not match or match[0] not in WORDS:
        raise _unknown(match[0] if match else text, declared)
    rest = bare[match.end() :].strip()
    return _build(match[0], rest, text, key_of, optional=bare != text, depth=depth)


def _unknown(word: str, declared: str) -> Misread:
    if word.lower() in NESTED:
        return Misread(f"unknown type {shown(declared)}", hint="write the fields inside it: { street: str, city: str }")
    near = ELSEWHERE.get(word.lower()) or nearest(word, WORDS)
    return Misread(f"unknown type {shown(declared)}", near=near, hint=ALL_TYPES)


def _build(word: str, rest: str, text: str, key_of: KeyOf, *, optional: bool, depth: int) -> FieldType:
    brackets = rest[1:-1].strip() if rest.startswith("[") and rest.endswith("]") else None
    hint = rest[1:-1].strip() if rest.startswith("(") and rest.endswith(")") else None
    if rest and brackets is None and hint is None:
        raise Misread(f"{shown(text)} is not a type: {shown(rest)} after {word} means nothing", hint=ALL_TYPES)
    if hint is not None:
        return _hinted(word, hint, text, optional=optional)
    if word == "enum":
        return EnumType(text, members=_members(brackets, text), optional=optional)
    if word == "ref":
        if not brackets:
            raise Misread(f"{shown(text)} says no record", hint="write ref[service.record]")
        return RefType(text, target=brackets, key=key_of(brackets), optional=optional)
    if word == "list":
        if not brackets:
            raise Misread(f"{shown(text)} says nothing of its items", hint="write list[str], for example")
        return ListType(text, item=parse(brackets, key_of, depth=depth + 1), optional=optional)
    return _scalar(word, brackets, text, optional=optional)


def _hinted(word: str, hint: str, text: str, *, optional: bool) -> FieldType:
    if word not in ("str", "int", "float", "decimal"):
        raise Misread(f"{shown(text)}: {word} takes no hint", hint="hints are for str, int, float and decimal")
    if hint not in HINTS[word]:
        raise Misread(
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
        raise Misread(f"{shown(text)} has an empty member", hint="write enum[a, b]")
    if len(set(members)) < len(members):
        twice = next(member for member, count in Counter(members).items() if count > 1)
        raise Misread(f"{shown(text)} has {twice!r} twice", hint="leave one of them out")
    return members


def _scalar(word: str, brackets: str | None, text: str, *, optional: bool) -> FieldType:
    if word in ("str", "bool"):
        if brackets is not None:
            raise Misread(f"{shown(text)}: {word} takes no range", hint=ALL_TYPES)
        return StrType(text, optional=optional) if word == "str" else BoolType(text, optional=optional)
    low, high, above, below = _NO_RANGE if brackets is None else _range(word, brackets, text)
    if word == "int":
        return IntType(text, low=low, high=high, optional=optional)
    if word == "float":
        return FloatType(text, low=low, high=high, above=above, below=below, optional=optional)
    if word == "decimal":
        return DecimalType(text, low=low, high=high, above=above, below=below, optional=optional)
    if word == "datetime":
        return DatetimeType(text, low=low, high=high, optional=optional)
    return DateType(text, low=low, high=high, optional=optional)


class _Range(NamedTuple):
    """Bounds, and whether the numbers are above the one and below the other rather than from and to them."""

    low: Any
    high: Any
    above: bool = False
    below: bool = False


_NO_RANGE = _Range(None, None)


def _range(word: str, brackets: str, text: str) -> _Range:
    parts = [part.strip() for part in brackets.partition("..")]
    example = "datetime[-20d..0d]" if word in ("datetime", "date") else f"{word}[1..10]"
    above, below = (word in _READS and part.startswith(sign) for part, sign in zip(parts[::2], "><", strict=True))
    first, last = (part[shut:].strip() for part, shut in zip(parts[::2], (above, below), strict=True))
    if not parts[1] or not (parts[0] or parts[2]):
        raise Misread(f"{shown(text)} is no range", hint=f"write {example}")
    if (above and not first) or (below and not last):
        raise Misread(f"{shown(text)} names no number after {'>' if above and not first else '<'}", hint=_OPEN)
    low, high = (_bound(word, part, text, example) for part in (first, last))
    if low is not None and high is not None:
        if low > high:
            raise Misread(f"{shown(text)} is an empty range: {first} is more than {last}")
        if word == "float" and not math.isfinite(high - low):
            raise Misread(f"{shown(text)} is too wide for a range of floats", hint=f"write {example}")
    if word == "int":
        low, high = low if low is None else low + above, high if high is None else high - below
    if low is not None and high is not None and _is_empty(_Range(low, high, above, below), word):
        raise Misread(f"{shown(text)} is an empty range: no number is in it", hint=_OPEN)
    return _Range(low, high, above, below)


def _is_empty(found: _Range, word: str) -> bool:
    """Whether no number is left between two bounds of which the lower one is not the higher one."""
    if word == "int":
        return bool(found.low > found.high)
    if word == "float":
        low = math.nextafter(found.low, math.inf) if found.above else found.low
        return bool(low > (math.nextafter(found.high, -math.inf) if found.below else found.high))
    return bool(found.low == found.high and (found.above or found.below))


def _bound(word: str, part: str, text: str, example: str) -> Any:
    if not part:
        return None
    try:
        bound = _READS.get(word, _moment)(part)
    except (ValueError, InvalidOperation):
        raise Misread(f"{shown(text)}: {shown(part)} is no bound of a range", hint=f"write {example}") from None
    if not (bound.is_finite() if isinstance(bound, Decimal) else isinstance(bound, int) or math.isfinite(bound)):
        raise Misread(f"{shown(text)}: {shown(part)} is no finite number", hint=f"write {example}")
    if isinstance(bound, Decimal) and endless(bound):
        raise Misread(f"{shown(text)}: {shown(part)} has more than {DIGITS} digits", hint=f"write {example}")
    if word in ("datetime", "date") and abs(bound) > LONGEST_AGO:
        raise Misread(f"{shown(text)}: {shown(part)} is more than 1000 years away", hint=f"write {example}")
    return bound


def _whole(part: str) -> int:
    bound = int(part)
    if len(part) > DIGITS:
        raise ValueError(part)
    return bound


def _moment(part: str) -> float:
    """Seconds from the start of the clock."""
    return -duration(part[1:]) if part.startswith("-") else duration(part.removeprefix("+"))


_READS: dict[str, Callable[[str], Any]] = {"int": _whole, "float": float, "decimal": Decimal}
