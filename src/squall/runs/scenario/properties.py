"""The properties that a scenario expects of its world's end state: found wrong before a run, and asked after it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from squall.documents import Document, load_handler
from squall.errors import Problem, UsageError, nearest, shown
from squall.runs.scenario.spec import PropertySpec
from squall.worlds import World, properties
from squall.worlds.fields.numeric import DecimalType, FloatType, IntType
from squall.worlds.fields.types import FieldType, Unfit
from squall.worlds.tables.records import Record

NEEDED = {
    "at_most_once": ("table", "by"),
    "exactly_once": ("table", "by"),
    "conserved": ("table", "field"),
    "no_orphans": (),
    "unchanged": (),
}
ALLOWED = NEEDED | {"exactly_once": ("table", "by", "of")}
KEYS = tuple(name for name in PropertySpec.model_fields if name != "property")
Loc = tuple[str | int, ...]


def wrong_with(each: PropertySpec, world: World | None, document: Document, loc: Loc) -> Iterator[Problem]:
    """What is wrong with a property at `loc`. Without a world its table is taken on trust."""
    name = each.property
    if name not in NEEDED:  # it could not be read
        return
    for key in KEYS:
        given = key in each.model_fields_set
        if key in NEEDED[name] and not given:
            yield Problem(f"{name} needs {key!r}", document.at(loc), hint=f'Add {key} = "…".')
        elif given and key not in ALLOWED[name]:
            takes = ", ".join(ALLOWED[name]) or "nothing else"
            yield Problem(f"{name} takes no {key!r}", document.at((*loc, key), key=True), hint=f"It takes {takes}.")
    if world is None or each.table is None or "table" not in ALLOWED[name]:
        return
    try:
        record = world[each.table].record
    except UsageError as error:
        yield Problem(str(error), document.at((*loc, "table")))
        return
    yield from _wrong_fields(each, record, document, loc)


def asked(each: PropertySpec, world: World, seeded: Any) -> None:
    """Raise AssertionError where a property that holds together does not hold of the world."""
    match each.property:
        case "no_orphans":
            properties.no_orphans(world)
        case "unchanged":
            properties.unchanged(world, seeded)
        case "conserved":
            properties.conserved(world[str(each.table)], str(each.field))
        case "at_most_once":
            properties.at_most_once(world[str(each.table)], by=_by(each))
        case "exactly_once":
            table = world[str(each.table)]
            of = None if each.of is None else [_key(each, value, table.record) for value in each.of]
            properties.exactly_once(table, by=_by(each), of=of)


def function_named(reference: str, document: Document, folder: Path, loc: Loc) -> Callable[[World], Any]:
    """The function of a world that `module.function` means. Raises UsageError where there is none."""
    at = document.at(loc)
    function = load_handler(reference, document.path or folder / "scenario", at=at)
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        hint = "Write it as def NAME(world), and let it raise AssertionError where something is wrong."
        raise UsageError(Problem(f"{reference} does not take a world alone", at, hint=hint)) from None
    except ValueError:  # a function that does not tell what it takes
        pass
    return function


def _wrong_fields(each: PropertySpec, record: Record, document: Document, loc: Loc) -> Iterator[Problem]:
    by = _listed(each.by)
    for place, name in enumerate(by):
        if name not in record.fields:
            where = (*loc, "by", place) if isinstance(each.by, list) else (*loc, "by")
            yield _no_field(name, record, record.fields, document, where)
    if each.by == []:
        yield Problem("'by' names no field", document.at((*loc, "by")), hint=f"{record.name}: {record.listed}.")
    if each.field is not None:
        numbers = [name for name, kind in record.fields.items() if isinstance(kind, IntType | FloatType | DecimalType)]
        if each.field not in record.fields:
            yield _no_field(each.field, record, numbers, document, (*loc, "field"))
        elif each.field not in numbers:
            hint = f"Numbers of {record.name}: {', '.join(numbers) or 'none'}."
            why = f"the field {each.field!r} of {record.name} is no number"
            yield Problem(why, document.at((*loc, "field")), hint=hint)
    kinds = [record.fields.get(name) for name in by]
    for place, value in enumerate(each.of or ()):
        if all(kinds) and (unfit := _unfit(value, by, kinds, several=isinstance(each.by, list))):
            yield Problem(unfit, document.at((*loc, "of", place)), hint="Write the values as rows have them.")


def _no_field(name: str, record: Record, near: Any, document: Document, loc: Loc) -> Problem:
    why = f"{record.name} has no field {shown(name)}"
    return Problem(why, document.at(loc), nearest(name, near), f"{record.name}: {record.listed}.")


def _unfit(value: Any, by: list[str], kinds: list[Any], *, several: bool) -> str | None:
    """Why no row can have a value."""
    values = value if several else [value]
    if not isinstance(values, list) or len(values) != len(by):
        return f"{shown(value)} is no list of {len(by)} values, one for each of {', '.join(by)}"
    for name, kind, part in zip(by, kinds, values, strict=True):
        try:
            kind.check(part)
        except Unfit as unfit:
            return unfit.said(name)
    return None


def _key(each: PropertySpec, value: Any, record: Record) -> Any:
    """A value as rows have it: a moment for the text of one, and a tuple where several fields go together."""
    kinds: list[FieldType] = [record.fields[name] for name in _listed(each.by)]
    if isinstance(each.by, list):
        return tuple(kind.check(part) for kind, part in zip(kinds, value, strict=True))
    return kinds[0].check(value)


def _by(each: PropertySpec) -> Any:
    return each.by if isinstance(each.by, str) else tuple(_listed(each.by))


def _listed(by: str | list[str] | None) -> list[str]:
    return [by] if isinstance(by, str) else list(by or ())
