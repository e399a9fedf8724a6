"""One way to turn a value into bytes, and from bytes into digests and keyed uniform numbers.

Bytes are JSON as RFC 8785 writes it: keys sorted by UTF-16 code units, the shortest form of each number as ECMAScript
prints it, no white space. Two things go beyond it: whole numbers outside the range of a double keep all their digits
(so that two long ids never fall together), and datetimes (ISO 8601 in UTC with `Z`), dates and decimals are strings.
What has no bytes at all has a `plain` form that does. Knows no file format and no wire.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any

from squall.errors import SquallError, shown

EXACT = 2**53
LONE_SURROGATE = re.compile("[\ud800-\udfff]")
PLAIN_DIGITS, PLAIN_ZEROS = 21, -6  # ECMA-262: beyond these a number is written with an exponent
DEEPEST = 50  # levels of a plain form
TOKEN = 12  # bytes, which are 24 letters and digits
LEAST, MOST = -(2**63), 2**64  # the whole numbers that other JSON libraries write


class CanonicalError(SquallError, ValueError):
    """A value that has no canonical form; the message names the path to it."""


def dumps(value: Any) -> bytes:
    """Canonical JSON of `value` as UTF-8.

    Raises `CanonicalError` for NaN, infinity, lone surrogates, keys that are not strings, foreign types and values
    that hold themselves.
    """
    parts: list[str] = []
    try:
        _write(value, parts, ())
    except RecursionError:
        raise CanonicalError("the value holds itself, or is nested too deeply to be written") from None
    text = "".join(parts)
    try:
        return text.encode()
    except UnicodeEncodeError:
        raise CanonicalError(_lone_surrogate(value)) from None


def digest(value: Any) -> str:
    """SHA-256 of `dumps(value)`, 64 hexadecimal digits."""
    return hashlib.sha256(dumps(value)).hexdigest()


def digest_bytes(data: bytes) -> str:
    """SHA-256 of `data`, 64 hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def integer(*key: str | int) -> int:
    """A number of 64 bits that depends on nothing but `key` (BLAKE2b); the same in every process and on every day."""
    return int.from_bytes(hashlib.blake2b(_of_parts(key), digest_size=8).digest(), "big")


def token(*key: str | int) -> str:
    """24 letters and digits that depend on nothing but `key`: what stands behind the prefix of an id."""
    return hashlib.blake2b(_of_parts(key), digest_size=TOKEN).hexdigest()


def _of_parts(key: tuple[str | int, ...]) -> bytes:
    """Each part with its type and its length, so that ("ab", "c"), ("a", "bc"), ("1",) and (1,) all differ."""
    data = "".join([f"{'i' if isinstance(part, int) else 's'}{len(text := str(part))}:{text}" for part in key])
    return data.encode(errors="surrogatepass")


def uniform(*key: str | int) -> float:
    """A number in [0, 1) that depends on nothing but `key`; 53 bits, so that every value is exact."""
    return (integer(*key) >> 11) / EXACT


def instant(when: datetime) -> str:
    """`when` as ISO 8601 in UTC with `Z`; a naive datetime is read as UTC."""
    try:
        when = when.astimezone(UTC) if when.tzinfo else when.replace(tzinfo=UTC)
    except OverflowError:  # hours from year 1 or 9999: UTC has no such day, and the offset tells the moment too
        return when.isoformat()
    return when.isoformat().replace("+00:00", "Z")


def number(value: float) -> str:
    """A double as ECMAScript prints it (ECMA-262, Number::toString), which is what RFC 8785 asks for."""
    if value == 0:
        return "0"
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = fraction.rstrip("0") if fraction != "0" else ""
    point = len(whole) + int(exponent or 0)
    padded = whole + fraction
    digits = padded.lstrip("0")
    point -= len(padded) - len(digits)
    digits = digits.rstrip("0")
    sign = "-" if value < 0 else ""
    if 0 < point <= PLAIN_DIGITS:
        padded = digits.ljust(point, "0")
        return sign + padded[:point] + (f".{padded[point:]}" if len(padded) > point else "")
    if PLAIN_ZEROS < point <= 0:
        return f"{sign}0.{'0' * -point}{digits}"
    tail = f".{digits[1:]}" if len(digits) > 1 else ""
    return f"{sign}{digits[0]}{tail}e{point - 1:+d}"


def whole_number(value: int) -> str:
    """All digits of a whole number of any size."""
    try:
        return str(value)
    except ValueError:  # Python refuses to print more than 4,300 digits
        return f"{Decimal(value):f}"


def plain(value: Any, around: tuple[int, ...] = ()) -> Any:
    """A form of any value that has bytes, here and in other JSON libraries: for what an agent may hand over.

    Keys become text, lone surrogates escapes, numbers that JSON lacks their digits or names, sets sorted lists; foreign
    types are named, never by an address; what holds itself or is nested more than 50 deep is cut. `around` are the ids
    of what holds the value.
    """
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        return str.encode(value, errors="backslashreplace").decode()
    if isinstance(value, int):
        return int(value) if LEAST <= value < MOST else whole_number(int(value))
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else str(float(value))
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, date | Decimal):
        return str(value)
    if not isinstance(value, Mapping | list | tuple | set | frozenset):
        return f"<{type(value).__qualname__}>"
    if id(value) in around:
        return "<itself>"
    if len(around) >= DEEPEST:
        return "<nested too deeply>"
    inside = (*around, id(value))
    if isinstance(value, Mapping):
        return {_text(plain(key, inside)): plain(item, inside) for key, item in value.items()}
    items = [plain(item, inside) for item in value]
    return sorted(items, key=dumps) if isinstance(value, set | frozenset) else items


def _text(key: Any) -> str:
    return key if isinstance(key, str) else dumps(key).decode()


def _write(value: Any, out: list[str], path: tuple[str | int, ...]) -> None:
    kind = type(value)
    if kind is str:
        out.append(encode_basestring(value))
    elif value is None or kind is bool:
        out.append("null" if value is None else "true" if value else "false")
    elif kind is int:
        out.append(whole_number(value))
    elif kind is float:
        if not math.isfinite(value):
            raise CanonicalError(f"{_at(path)} is {value}, and JSON has no such number")
        out.append(number(value))
    elif kind is dict or isinstance(value, Mapping):
        _write_mapping(value, out, path)
    elif kind is list or isinstance(value, list | tuple):
        _write_sequence(value, out, path)
    else:
        _write_other(value, out, path)


def _write_mapping(value: Mapping[Any, Any], out: list[str], path: tuple[str | int, ...]) -> None:
    for key in value:
        if not isinstance(key, str):
            raise CanonicalError(f"{_at(path)} has the key {shown(key)}, and a key must be a string")
    keys = sorted(value) if all(map(str.isascii, value)) else sorted(value, key=_utf16)
    opening = "{"
    for key in keys:
        out.append(f"{opening}{encode_basestring(key)}:")
        _write(value[key], out, (*path, key))
        opening = ","
    out.append("{}" if opening == "{" else "}")


def _write_sequence(value: list[Any] | tuple[Any, ...], out: list[str], path: tuple[str | int, ...]) -> None:
    opening = "["
    for position, item in enumerate(value):
        out.append(opening)
        _write(item, out, (*path, position))
        opening = ","
    out.append("[]" if opening == "[" else "]")


def _write_other(value: Any, out: list[str], path: tuple[str | int, ...]) -> None:
    """Values that are not JSON's own, and subclasses of those that are (an `IntEnum`, a `str` subclass)."""
    if isinstance(value, datetime):
        text = instant(value)
    elif isinstance(value, date):
        text = value.isoformat()
    elif isinstance(value, Decimal):
        if not value.is_finite():
            raise CanonicalError(f"{_at(path)} is {value}, and JSON has no such number")
        text = str(value)
    else:
        for base in (str, int, float):
            if isinstance(value, base):
                _write(base.__str__(value) if base is str else base(value), out, path)
                return
        raise CanonicalError(f"{_at(path)} is {shown(value)} of type {type(value).__name__}, which has no JSON form")
    out.append(encode_basestring(text))


def _utf16(key: str) -> bytes:
    return key.encode("utf-16-be", errors="surrogatepass")


def _at(path: tuple[str | int, ...]) -> str:
    # The path may run through the very key that no UTF-8 text can hold.
    names = (str(part).encode(errors="backslashreplace").decode() for part in path)
    return "the value" if not path else "the value at " + ".".join(names)


def _lone_surrogate(value: Any) -> str:
    what, path, found = next(
        (what, path, found) for what, path, text in _texts(value, ()) if (found := LONE_SURROGATE.search(text))
    )
    return f"{what}{_at(path)} holds a lone surrogate (character {found.start()}), which no UTF-8 text can"


def _texts(value: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str, tuple[str | int, ...], str]]:
    if isinstance(value, str):
        yield "", path, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield "a key of ", path, key
            yield from _texts(item, (*path, key))
    elif isinstance(value, list | tuple):
        for position, item in enumerate(value):
            yield from _texts(item, (*path, position))
