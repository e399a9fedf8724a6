"""Whether arguments fit a JSON Schema. The plain ones are told at once; the rest is left to `jsonschema`.

What cannot be told (a schema that is none, a reference that leads nowhere) counts as fitting. Texts that models
wrote are matched in time that grows with their length: a pattern that only a backtracking engine knows is not looked
at, nor are names of properties by patterns. Knows no call.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from typing import Any

Schema = Mapping[str, Any]
NOTES = frozenset(
    "title description default examples example deprecated readOnly writeOnly $schema $id $comment strict".split()
)
PLAIN = NOTES | frozenset("type properties required additionalProperties items enum const".split())
LONGEST = 160


def misfit(value: Any, schema: Schema) -> str | None:
    """What is wrong with a value, in a few words with the place; None where it fits."""
    return None if _plainly_fits(value, schema) else _by_the_book(value, schema)


def _plainly_fits(value: Any, schema: Any) -> bool:
    """Whether a value surely fits; False where that takes a closer look."""
    if schema is True or schema == {}:
        return True
    if not isinstance(schema, Mapping) or not schema.keys() <= PLAIN:
        return False
    kind = schema.get("type")
    if kind is not None and not (isinstance(kind, str) and _is(value, kind)):
        return False
    if "enum" in schema and not (isinstance(value, str) and value in schema["enum"]):
        return False
    if "const" in schema and not (isinstance(value, str) and value == schema["const"]):
        return False
    if isinstance(value, dict):
        return _plainly_fits_object(value, schema)
    items = schema.get("items")
    return not isinstance(value, list) or items is None or all(_plainly_fits(each, items) for each in value)


def _plainly_fits_object(value: dict[str, Any], schema: Schema) -> bool:
    known = schema.get("properties") or {}
    if not isinstance(known, Mapping) or any(name not in value for name in schema.get("required") or ()):
        return False
    more = schema.get("additionalProperties", True)
    return all(_plainly_fits(inner, known.get(name, more)) for name, inner in value.items())


def _is(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "number":
        return isinstance(value, int | float)
    types = {"string": str, "integer": int, "object": dict, "array": list, "null": type(None)}
    return kind in types and isinstance(value, types[kind])


def _by_the_book(value: Any, schema: Schema) -> str | None:
    # 90 ms, and only those pay whose schemas or arguments are unusual
    from jsonschema.exceptions import best_match  # type: ignore[import-untyped]  # it comes without stubs
    from jsonschema.validators import Draft202012Validator, validator_for  # type: ignore[import-untyped]  # as above
    from referencing import Registry  # an empty one: references to other documents are not followed

    try:
        kind = validator_for(schema, default=Draft202012Validator)
        kind.check_schema(schema)
        found = best_match(_bounded(kind)(schema, registry=Registry()).iter_errors(value))
    except Exception:  # noqa: BLE001 - whatever a schema from elsewhere does to its reader, the arguments are not to blame
        return None
    if found is None:
        return None
    text = found.message if len(found.message) <= LONGEST else f"{found.message[:LONGEST]} …"
    return f"{text} (at {found.json_path})".replace(";", ",")


@cache
def _bounded(kind: Any) -> Any:
    """A validator of this kind, without what could take exponential time."""
    # jsonschema takes 60 ms to import, and most runs offer no tool whose schema it is needed for
    from jsonschema.exceptions import ValidationError
    from jsonschema.validators import extend

    additional = kind.VALIDATORS["additionalProperties"]

    def pattern(_validator: Any, wanted: str, value: Any, _schema: Schema) -> Iterator[Any]:
        if (
            isinstance(value, str)
            and (matcher := _matcher(wanted)) is not None
            and not matcher.isinstance_python(value)
        ):
            yield ValidationError(f"{value!r} does not match {wanted!r}")

    def others(validator: Any, more: Any, value: Any, schema: Schema) -> Iterator[Any]:
        if "patternProperties" not in schema:
            yield from additional(validator, more, value, schema) or ()

    untold = dict.fromkeys(("patternProperties", "unevaluatedProperties"), _untold)
    return extend(kind, validators={**untold, "pattern": pattern, "additionalProperties": others})


def _untold(_validator: Any, _wanted: Any, _value: Any, _schema: Schema) -> Iterator[Any]:
    """Nothing is wrong."""
    return iter(())


@lru_cache(maxsize=256)
def _matcher(pattern: str) -> Any:
    """What tells whether a text has a match, by an engine that never goes back; None where that lacks the pattern."""
    from pydantic_core import SchemaError, SchemaValidator, core_schema  # as above, where a pattern is met

    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex", strict=True))
    except SchemaError:
        return None
