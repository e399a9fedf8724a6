"""Makes an instance of a schema: what is required and nothing more, the first of the choices that leads anywhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from typing import Any

import msgspec

from squall.models.schemas.flat import Impossible, flat, merged
from squall.models.schemas.numbers import number
from squall.models.schemas.texts import text

Around = frozenset[str]
Fits = Callable[[Any, Mapping[str, Any]], bool]
MOST = 10_000  # values that are made, all in all

KINDS: Mapping[str, tuple[str, ...]] = {
    "object": ("properties", "required", "additionalProperties", "patternProperties", "minProperties"),
    "array": ("items", "prefixItems", "minItems", "uniqueItems", "contains"),
    "string": ("pattern", "minLength", "maxLength", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}
"""The type that a schema without one is about, by the words that it uses."""


class Maker:
    """Makes instances of parts of one document. `fits` tells whether a value is an instance of a part."""

    def __init__(self, root: Any, fits: Fits) -> None:
        self._root, self._fits = root, fits
        self._left = MOST

    def make(self, schema: Any, variant: int = 0, around: Around = frozenset()) -> Any:
        """An instance; other variants are other instances as far as there are any. Raises `Impossible`."""
        self._left -= 1
        if self._left < 0:
            raise Impossible
        found, around = flat(schema, self._root, around)
        if "const" in found:
            return found["const"]
        if isinstance(found.get("enum"), list):
            return self._listed(found, variant)
        for name in ("anyOf", "oneOf"):
            if isinstance(found.get(name), list):
                return self._chosen(found, name, variant, around)
        if "if" in found:
            return self._conditional(found, variant, around)
        return self._typed(found, variant, around)

    def _listed(self, schema: dict[str, Any], variant: int) -> Any:
        fitting = [value for value in schema["enum"] if len(schema) == 1 or self._fits(value, schema)]
        if not fitting:
            raise Impossible
        return fitting[variant % len(fitting)]

    def _chosen(self, schema: dict[str, Any], name: str, variant: int, around: Around) -> Any:
        rest = {key: value for key, value in schema.items() if key != name}
        return self._first(schema, [(merged(rest, {"allOf": [one]})) for one in schema[name]], variant, around)

    def _conditional(self, schema: dict[str, Any], variant: int, around: Around) -> Any:
        rest = {key: value for key, value in schema.items() if key not in {"if", "then", "else"}}
        yes = {**rest, "allOf": [schema["if"], schema.get("then", True)]}
        no = {**rest, "allOf": [schema.get("else", True)]}
        return self._first(schema, [no, yes], variant, around)

    def _first(self, schema: dict[str, Any], branches: list[dict[str, Any]], variant: int, around: Around) -> Any:
        """What the first branch gives that fits the whole; a branch that leads nowhere is passed over."""
        made = []
        for branch in branches:
            try:
                value = self.make(branch, variant, around)
            except Impossible:
                continue
            if self._fits(value, schema):
                return value
            made.append(value)
        if not made:
            raise Impossible
        return made[0]

    def _typed(self, schema: dict[str, Any], variant: int, around: Around) -> Any:
        kind = _kind(schema)
        if kind == "object":
            return self._object(schema, variant, around)
        if kind == "array":
            return self._array(schema, variant, around)
        if kind in {"integer", "number"}:
            return number(schema, whole=kind == "integer", variant=variant)
        if kind == "boolean":
            return bool(variant % 2)
        return None if kind == "null" else text(schema, variant)

    def _object(self, schema: dict[str, Any], variant: int, around: Around) -> dict[str, Any]:
        properties = schema["properties"] if isinstance(schema.get("properties"), dict) else {}
        needed = [name for name in schema.get("required") or () if isinstance(name, str)]
        ordered = [name for name in properties if name in needed] + [name for name in needed if name not in properties]
        made: dict[str, Any] = {}
        for name in ordered:
            self._add(made, name, schema, variant, around)
        for name in properties:
            if len(made) >= schema.get("minProperties", 0):
                break
            try:
                self._add(made, name, schema, variant, around)
            except Impossible:
                continue
        for number_ in count():
            if len(made) >= schema.get("minProperties", 0):
                break
            self._add(made, self._name(schema, made, number_, around), schema, variant, around)
        return made

    def _name(self, schema: dict[str, Any], made: dict[str, Any], variant: int, around: Around) -> str:
        """What one more member may be called; that of one which is there already if nothing else is found."""
        names = schema.get("propertyNames")
        patterns = schema.get("patternProperties")
        if isinstance(patterns, dict) and patterns and schema.get("additionalProperties") is False:
            one = {"pattern": next(iter(patterns))}
            names = one if names is None else {"allOf": [one, names]}
        if names is None:
            return f"field{variant + 1}"
        asked = merged({"type": "string"}, names) if isinstance(names, dict) else {"type": "string"}
        name = str(self.make(asked, variant, around))
        longer = f"{name}{variant}"
        return longer if name in made and self._fits(longer, asked) else name

    def _add(self, made: dict[str, Any], name: str, schema: dict[str, Any], variant: int, around: Around) -> None:
        """A member, and those that have to be there when it is."""
        if name in made:
            return
        made[name] = self.make(_of_member(schema, name), variant, around)
        for other in (schema.get("dependentRequired") or {}).get(name, ()):
            self._add(made, other, schema, variant, around)
        more = (schema.get("dependentSchemas") or {}).get(name)
        if isinstance(more, dict):
            for other in more.get("required", ()):
                self._add(made, other, merged(schema, more), variant, around)

    def _array(self, schema: dict[str, Any], variant: int, around: Around) -> list[Any]:
        first = schema.get("prefixItems", schema["items"] if isinstance(schema.get("items"), list) else [])
        rest = (
            schema.get("additionalItems", True) if isinstance(schema.get("items"), list) else schema.get("items", True)
        )
        least = schema.get("minItems", 0)
        wanted: Iterator[Any] = iter(())
        if "contains" in schema:
            least = max(least, len(first) + schema.get("minContains", 1))
            wanted = iter([schema["contains"]] * schema.get("minContains", 1))
        made: list[Any] = []
        while len(made) < least:
            place = len(made)
            one = first[place] if place < len(first) else rest
            if place >= len(first) and (needed := next(wanted, None)) is not None:
                one = {"allOf": [one, needed]} if one is not True else needed
            made.append(self._item(one, made, variant, around, unique=schema.get("uniqueItems") is True))
        return made

    def _item(self, schema: Any, made: list[Any], variant: int, around: Around, *, unique: bool) -> Any:
        if not unique:
            return self.make(schema, variant, around)
        seen = {msgspec.json.encode(value) for value in made}
        value = self.make(schema, variant, around)
        while msgspec.json.encode(value) in seen:
            variant += 1
            value = self.make(schema, variant, around)
        return value


def _kind(schema: Mapping[str, Any]) -> str:
    kinds = schema.get("type")
    if isinstance(kinds, str):
        return kinds
    if isinstance(kinds, list) and kinds:
        return str(next((kind for kind in kinds if kind != "null"), "null"))
    return next((kind for kind, words in KINDS.items() if not schema.keys().isdisjoint(words)), "string")


def _of_member(schema: Mapping[str, Any], name: str) -> Any:
    """What a member of an object has to be: by its name, by a pattern that finds it, or as one of all others."""
    found = [schema["properties"][name]] if name in (schema.get("properties") or {}) else []
    found += [one for pattern, one in (schema.get("patternProperties") or {}).items() if re.search(pattern, name)]
    if not found:
        found.append(schema.get("additionalProperties", True))
    return found[0] if len(found) == 1 else {"allOf": found}
