"""What `strict` asks of a JSON Schema: each object lists all its properties as required and allows no others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

NESTED = ("properties", "$defs", "definitions")
LISTED = ("anyOf", "allOf", "oneOf", "prefixItems")
DEEPEST = 60  # steps into a schema, of which there are two or three from an object to one inside it


def objections(schema: Mapping[str, Any], path: tuple[str, ...] = ()) -> Iterator[str]:
    """What is wrong with a schema, the outermost first. One that says nothing of objects is left alone."""
    if len(path) > DEEPEST:
        yield "It is nested too deeply."
        return
    if schema.get("type") == "object" or "properties" in schema:
        where = "(" + ", ".join(f"'{step}'" for step in path) + ")"
        if schema.get("additionalProperties") is not False:
            yield f"In context={where}, 'additionalProperties' has to be there, and false."
        required = schema.get("required")
        named = required if isinstance(required, list) else ()
        lacking = [name for name in _mapping(schema.get("properties")) if name not in named]
        if lacking:
            yield f"In context={where}, 'required' has to name every property; '{lacking[0]}' is not among them."
    for word in NESTED:
        for name, inner in _mapping(schema.get(word)).items():
            if isinstance(inner, Mapping):
                yield from objections(inner, (*path, word, name))
    items = schema.get("items")
    if isinstance(items, Mapping):
        yield from objections(items, (*path, "items"))
    for word in LISTED:
        choices = schema.get(word)
        if isinstance(choices, list):
            for place, inner in enumerate(choices):
                if isinstance(inner, Mapping):
                    yield from objections(inner, (*path, word, str(place)))


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}
