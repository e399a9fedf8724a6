"""What can still be understood of a scenario file in which something is wrong, so that all the rest is checked too.

Knows the shape of the file, and nothing of what it names.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from pydantic import BaseModel, ValidationError

from squall.canonical import LEAST, LONE_SURROGATE, MOST
from squall.documents import Document, validate
from squall.errors import Problem, UsageError, shown
from squall.runs.scenario.spec import (
    MOVED,
    ExpectSpec,
    FaultSpec,
    HeadSpec,
    LimitsSpec,
    PropertySpec,
    ScenarioSpec,
    StepSpec,
)

Model = TypeVar("Model", bound=BaseModel)
Loc = tuple[str | int, ...]
NAMELESS = {"name": "nameless"}
TOOLLESS = {"tool": "unknown"}


class Parts(NamedTuple):
    """The file as it is meant, and what is wrong with its shape: that is left out of `spec`.

    `unread` are the places of faults that could not be read whole.
    """

    spec: ScenarioSpec
    problems: list[Problem]
    unread: frozenset[int] = frozenset()


def parts_of(document: Document) -> Parts:
    """What the file says, as far as it can be understood."""
    problems = list(_unwritable(document.data, (), document))
    try:
        return Parts(validate(ScenarioSpec, document), problems)
    except UsageError as error:
        problems = list(dict.fromkeys([*problems, *error.problems]))
    data = document.data
    unread = (place for place, each in enumerate(_items(data, "faults")) if not _holds(FaultSpec, each))
    return Parts(_remains(data), problems, frozenset(unread))


def _remains(data: Mapping[str, Any]) -> ScenarioSpec:
    tops = {key: data[key] for key in MOVED if key in data}
    expect = _mapping(data, "expect")
    properties = [_property(each) for each in _items(expect, "properties")]
    rest = {key: value for key, value in expect.items() if key != "properties"}
    return _lenient(ScenarioSpec, tops, scenario=NAMELESS).model_copy(
        update={
            "scenario": _lenient(HeadSpec, _mapping(data, "scenario"), **NAMELESS),
            "steps": [_lenient(StepSpec, each, **TOOLLESS) for each in _items(data, "steps")],
            "faults": [_lenient(FaultSpec, each, kind="") for each in _items(data, "faults")],
            "expect": _lenient(ExpectSpec, rest).model_copy(update={"properties": properties}),
            "limits": _lenient(LimitsSpec, _mapping(data, "limits")),
        }
    )


def _property(data: Any) -> PropertySpec | str:
    if isinstance(data, str):
        return data
    try:
        return PropertySpec.model_validate(data)
    except ValidationError:  # told already, and what it is about cannot be known
        return PropertySpec.model_construct(property=None)


def _lenient(model: type[Model], data: Any, **fill: Any) -> Model:
    """What holds of a table; `fill` stands in for what it must have."""
    given = dict(data) if isinstance(data, Mapping) else {}
    try:
        return model.model_validate(fill | given)
    except ValidationError as error:
        wrong = {each["loc"][0] for each in error.errors(include_url=False) if each["loc"]}
        return model.model_validate(fill | {key: value for key, value in given.items() if key not in wrong})


def _holds(model: type[BaseModel], data: Any) -> bool:
    try:
        model.model_validate(data)
    except ValidationError:
        return False
    return True


def _mapping(data: Any, key: str) -> Mapping[str, Any]:
    found = data.get(key) if isinstance(data, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def _items(data: Any, key: str) -> list[Any]:
    found = data.get(key) if isinstance(data, Mapping) else None
    return found if isinstance(found, list) else []


def _unwritable(value: Any, loc: Loc, document: Document) -> Iterator[Problem]:
    """What no trace and no run.json could hold."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _unwritable(item, (*loc, key), document)
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _unwritable(item, (*loc, place), document)
    elif isinstance(value, float) and not math.isfinite(value):
        yield Problem(f"{value} is no number that JSON has", document.at(loc), hint="Write a finite number, or a text.")
    elif isinstance(value, int) and not LEAST <= value < MOST:
        hint = "Write whole numbers of up to 64 bits, or put it in quotes."
        yield Problem(f"the number {shown(value)} is too large", document.at(loc), hint=hint)
    elif isinstance(value, str) and LONE_SURROGATE.search(value):
        yield Problem("half of a surrogate pair is no character", document.at(loc), hint="Write the character itself.")
