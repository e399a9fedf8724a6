"""What the values of a request may be, worded as Anthropic words it: the place, a colon, what is wrong there.

Each check takes a value and its place, and raises `BadRequest`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from squall.call import BadRequest

Check = Callable[[Any, str], None]
KINDS = {dict: "an object", list: "an array", str: "a string", bool: "a boolean", int: "a number", float: "a number"}


def refuse(place: str, what: str) -> NoReturn:
    """Raise what a request is refused with; `place` is the part of the body that is wrong."""
    raise BadRequest(f"{place}: {what}", param=place)


def expected(what: str, value: Any, place: str) -> NoReturn:
    """Refuse a value of the wrong kind."""
    refuse(place, f"expected {what}, got {'null' if value is None else KINDS.get(type(value), 'something else')}")


def missing(place: str) -> NoReturn:
    """Refuse a body that lacks something."""
    refuse(place, "this field is required")


def text(value: Any, place: str) -> None:
    """A string."""
    if type(value) is not str:
        expected("a string", value, place)


def full_text(value: Any, place: str) -> None:
    """A string with something in it."""
    text(value, place)
    if not value:
        refuse(place, "the string must have at least 1 character")


def boolean(value: Any, place: str) -> None:
    """True or false."""
    if type(value) is not bool:
        expected("a boolean", value, place)


def mapping(value: Any, place: str) -> None:
    """An object."""
    if type(value) is not dict:
        expected("an object", value, place)


def array(value: Any, place: str) -> None:
    """A list."""
    if type(value) is not list:
        expected("an array", value, place)


def texts(value: Any, place: str) -> None:
    """A list of strings that are not blank."""
    array(value, place)
    for number, one in enumerate(value):
        text(one, f"{place}.{number}")
        if not one.strip():
            refuse(f"{place}.{number}", "a stop sequence needs a character other than whitespace")


def whole(least: int) -> Check:
    """A whole number that is not too small."""

    def check(value: Any, place: str) -> None:
        if type(value) is not int and not (type(value) is float and value.is_integer()):
            expected("a whole number", value, place)
        if value < least:
            refuse(place, f"the number must be at least {least}")

    return check


def between(least: float, most: float) -> Check:
    """A number in a range."""

    def check(value: Any, place: str) -> None:
        if type(value) is not float and type(value) is not int:
            expected("a number", value, place)
        if not least <= value <= most:
            refuse(place, f"the number must be between {least} and {most}")

    return check


def one_of(*words: str) -> Check:
    """One of several words."""

    def check(value: Any, place: str) -> None:
        if value not in words:
            refuse(place, f"expected one of {', '.join(map(repr, words))}")

    return check


def typed(*kinds: str) -> Check:
    """An object whose `type` is one of several."""

    def check(value: Any, place: str) -> None:
        mapping(value, place)
        kind = value.get("type")
        if kind not in kinds:
            refuse(f"{place}.type", f"expected one of {', '.join(map(repr, kinds))}")

    return check


def only(fields: frozenset[str], value: Mapping[str, Any], place: str) -> None:
    """No other fields than these."""
    if not value.keys() <= fields:
        extra = next(name for name in value if name not in fields)
        refuse(f"{place}.{extra}", "there is no such field here, and none may be added")


def anything(_value: Any, _place: str) -> None:
    """A field whose value is not modelled here."""
