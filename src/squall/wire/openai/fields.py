"""Checks of single fields of a body: types, ranges, lengths. Each takes a value and its place, and raises `BadRequest`.

Knows no endpoint: each endpoint has a table of its fields' checks. `null` stands for a field that is not there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from squall.wire.openai import refusals

Check = Callable[[Any, str], None]
Table = Mapping[str, Check]

PAIRS, KEY_LENGTH, VALUE_LENGTH = 16, 64, 512  # of metadata


def all_of(body: Mapping[str, Any], table: Table) -> None:
    """Checks each field of a body; one that the table does not list is refused."""
    for name, value in body.items():
        check = table.get(name)
        if check is None:
            raise refusals.unknown(name)
        if value is not None:
            check(value, name)


def anything(value: Any, param: str) -> None:
    """Whatever the provider takes here, squall does not look at it, or looks at it elsewhere."""


def boolean(value: Any, param: str) -> None:
    """True or false."""
    if value is not True and value is not False:
        raise refusals.wrong_type(param, "a boolean", value)


def mapping(value: Any, param: str) -> None:
    """An object."""
    if not isinstance(value, dict):
        raise refusals.wrong_type(param, "an object", value)


def array(value: Any, param: str) -> None:
    """An array."""
    if not isinstance(value, list):
        raise refusals.wrong_type(param, "an array", value)


def string(value: Any, param: str) -> None:
    """A string of any length."""
    if not isinstance(value, str):
        raise refusals.wrong_type(param, "a string", value)


def text(*, most: int) -> Check:
    """A string of at most so many characters."""

    def check(value: Any, param: str) -> None:
        string(value, param)
        if len(value) > most:
            raise refusals.too_long(param, "string", len(value), most)

    return check


def integer(least: int | None = None, most: int | None = None) -> Check:
    """A whole number within bounds."""

    def check(value: Any, param: str) -> None:
        if not isinstance(value, int) or value is True or value is False:
            raise refusals.wrong_type(param, "an integer", value)
        _within(value, param, least, most)

    return check


def number(least: float, most: float) -> Check:
    """A number within bounds."""

    def check(value: Any, param: str) -> None:
        if not isinstance(value, int | float) or value is True or value is False:
            raise refusals.wrong_type(param, "a decimal", value)
        _within(value, param, least, most)

    return check


def one_of(*choices: str) -> Check:
    """One of some words."""

    def check(value: Any, param: str) -> None:
        string(value, param)
        if value not in choices:
            raise refusals.not_one_of(param, value, choices)

    return check


def list_of(check_item: Check, *, most: int | None = None) -> Check:
    """An array whose items pass a check."""

    def check(value: Any, param: str) -> None:
        array(value, param)
        if most is not None and len(value) > most:
            raise refusals.too_long(param, "array", len(value), most)
        for place, item in enumerate(value):
            check_item(item, f"{param}[{place}]")

    return check


def metadata(value: Any, param: str) -> None:
    """Up to 16 pairs of short strings."""
    mapping(value, param)
    if len(value) > PAIRS:
        raise refusals.too_long(param, "object", len(value), PAIRS)
    for key, item in value.items():
        if len(key) > KEY_LENGTH:
            raise refusals.too_long(f"{param}.{key[:KEY_LENGTH]}", "string", len(key), KEY_LENGTH)
        string(item, f"{param}.{key}")
        if len(item) > VALUE_LENGTH:
            raise refusals.too_long(f"{param}.{key}", "string", len(item), VALUE_LENGTH)


def required_string(holder: Mapping[str, Any], name: str, param: str) -> str:
    """The string under `name`; `param` is its place in the body."""
    value = holder.get(name)
    if value is None:
        raise refusals.missing(param)
    if not isinstance(value, str):
        raise refusals.wrong_type(param, "a string", value)
    return value


def required_mapping(holder: Mapping[str, Any], name: str, param: str) -> dict[str, Any]:
    """The object under `name`; `param` is its place in the body."""
    value = holder.get(name)
    if value is None:
        raise refusals.missing(param)
    if not isinstance(value, dict):
        raise refusals.wrong_type(param, "an object", value)
    return value


def required_array(holder: Mapping[str, Any], name: str, param: str) -> list[Any]:
    """The array under `name`, which has something in it; `param` is its place in the body."""
    value = holder.get(name)
    if value is None:
        raise refusals.missing(param)
    if not isinstance(value, list):
        raise refusals.wrong_type(param, "an array", value)
    if not value:
        raise refusals.empty(param, "array")
    return value


def model_of(body: Mapping[str, Any]) -> str:
    """The name of the model that is asked."""
    model = required_string(body, "model", "model")
    if not model:
        raise refusals.missing("model")
    return model


def _within(value: float, param: str, least: float | None, most: float | None) -> None:
    if least is not None and value < least:
        raise refusals.out_of_range(param, value, least=least)
    if most is not None and value > most:
        raise refusals.out_of_range(param, value, most=most)
