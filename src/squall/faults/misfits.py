"""Arguments that are no longer what a tool takes, by the JSON Schema that was offered. Knows no kind of fault."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal, NamedTuple

from squall.decide.same import Schema
from squall.faults.values import wrong_with

OTHERS: tuple[Any, ...] = ("unknown", 7, ["unknown"], {"value": "unknown"}, None)
EXTRA = "notes"


class Misfit(NamedTuple):
    """Arguments as JSON text, and what is wrong with them."""

    how: Literal["wrong_type", "missing", "extra"]
    arguments: str


def misfits(arguments: str, schema: Schema | None) -> list[Misfit]:
    """What `arguments` can be made into that the schema certainly refuses, in a fixed order; nothing without one."""
    try:
        given = json.loads(arguments)
    except (ValueError, RecursionError):
        return []
    if schema is None or not isinstance(given, dict):
        return []
    tried = (Misfit(how, json.dumps(args)) for how, args in _tries(given, schema) if wrong_with(args, schema))
    return list(dict.fromkeys(tried))


def _tries(given: Mapping[str, Any], schema: Schema) -> Iterator[tuple[Literal["wrong_type", "missing", "extra"], Any]]:
    for name, value in given.items():
        other = next((each for each in _others(value) if wrong_with({**given, name: each}, schema)), value)
        yield "wrong_type", {**given, name: other}
    for name in given:
        if name in schema.get("required", ()):
            yield "missing", {key: value for key, value in given.items() if key != name}
    if EXTRA not in schema.get("properties", {}):
        yield "extra", {**given, EXTRA: ""}


def _others(value: Any) -> Iterator[Any]:
    """Values of another type; a number as text comes first, for that is how models get it wrong."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        yield str(value)
    yield from (each for each in OTHERS if type(each) is not type(value))
