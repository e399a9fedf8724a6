"""One schema out of several that hold at once: references are followed, `allOf` is merged into what is around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import unquote

Schema = Mapping[str, Any]


class Impossible(Exception):
    """Nothing is an instance, or none is found without going round in circles."""


def flat(schema: Any, root: Any, around: frozenset[str]) -> tuple[dict[str, Any], frozenset[str]]:
    """The schema without references and `allOf`, and the references that it was reached by.

    Raises `Impossible` for one that refers to what it is a part of.
    """
    if schema is False:
        raise Impossible
    if not isinstance(schema, Mapping):
        return {}, around
    found = dict(schema)
    reference = found.pop("$ref", None)
    parts = found.pop("allOf", ())
    if isinstance(reference, str):
        if reference in around:
            raise Impossible
        target, around = flat(_at(root, reference), root, around | {reference})
        found = merged(target, found)
    for part in parts if isinstance(parts, list) else ():
        more, around = flat(part, root, around)
        found = merged(found, more)
    return found, around


def merged(one: Schema, other: Schema) -> dict[str, Any]:
    """A schema that holds where both do."""
    found = dict(one)
    for name, value in other.items():
        found[name] = MERGE.get(name, _both)(found[name], value) if name in found else value
    return found


def _both(one: Any, other: Any) -> Any:
    """Of what cannot be merged, what was added last; schemas hold both."""
    return {"allOf": [one, other]} if isinstance(one, dict) and isinstance(other, dict) else other


def _properties(one: Any, other: Any) -> Any:
    return merged(one, other) if isinstance(one, dict) and isinstance(other, dict) else other


def _types(one: Any, other: Any) -> Any:
    ones, others = ([kind] if isinstance(kind, str) else kind for kind in (one, other))
    found = [kind for kind in ones if kind in others or (kind == "integer" and "number" in others)]
    if "number" in ones and "integer" in others:
        found.append("integer")
    if not found:
        raise Impossible
    return found


def _union(one: Any, other: Any) -> Any:
    return [*one, *(name for name in other if name not in one)]


def _common(one: Any, other: Any) -> Any:
    return [value for value in one if value in other]


def _chosen(one: Any, other: Any) -> Any:
    """Each branch of the one with each branch of the other."""
    return [{"allOf": [left, right]} for left in one for right in other]


def _larger(one: Any, other: Any) -> Any:
    return max(one, other)


def _smaller(one: Any, other: Any) -> Any:
    return min(one, other)


MERGE: Mapping[str, Callable[[Any, Any], Any]] = {
    "properties": _properties,
    "patternProperties": _properties,
    "$defs": _properties,
    "definitions": _properties,
    "dependentRequired": _properties,
    "dependentSchemas": _properties,
    "type": _types,
    "required": _union,
    "enum": _common,
    "anyOf": _chosen,
    "oneOf": _chosen,
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), _larger),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), _smaller),
}


def _at(root: Any, reference: str) -> Any:
    """What a reference within the document points at."""
    if not reference.startswith("#"):
        raise Impossible
    found = root
    for part in reference[1:].split("/")[1:]:
        name = unquote(part).replace("~1", "/").replace("~0", "~")
        if isinstance(found, Mapping) and name in found:
            found = found[name]
        elif isinstance(found, list) and name.isdigit() and int(name) < len(found):
            found = found[int(name)]
        else:
            raise Impossible
    return found
