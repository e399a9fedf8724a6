"""JSON Schema as OpenAPI and MCP use it, made plain: `$ref` followed, `allOf` merged, alternatives decided.

Every schema is looked at once, and only as far as it is asked for, so that one that holds itself is no trouble. What a
hostile document could make of that is bounded: depth, and the number of fields in all. Knows no world.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, NoReturn
from urllib.parse import unquote

from squall.errors import Position, Problem, UsageError, nearest, shown

Loc = tuple[str | int, ...]
MAX_FIELDS = 100_000
"""How many fields all schemas that are looked at may have, where each `allOf` counts what it merges."""
MAX_DEPTH = 64
"""How many schemas may stand in each other's `allOf`, `oneOf` or `anyOf`."""

MAX_NAME = 100
"""Characters of the longest name of a field; what is called longer is left out."""
MAX_NOTES = 3

_KINDS = ("object", "array", "string", "integer", "number", "boolean")
_KIND_OF = {str: "string", int: "integer", float: "number", bool: "boolean"}
_PLACE = re.compile(r"[0-9]{1,7}\Z")
_FACTS = (
    *("format", "pattern", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"),
    *("enum", "const", "default", "description", "title"),
)


class Node(NamedTuple):
    """A schema as it is written, and where."""

    schema: Any
    loc: Loc


@dataclass(frozen=True)
class Shape:
    """What a schema comes to. `loc` is where it really stands: two `$ref` to one schema have the same."""

    kind: str
    loc: Loc
    nullable: bool = False
    facts: Mapping[str, Any] = field(default_factory=dict)
    properties: Mapping[str, Node] = field(default_factory=dict)
    required: frozenset[str] = frozenset()
    items: Node | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_object(self) -> bool:
        """Whether it is an object whose fields are known."""
        return self.kind == "object" and bool(self.properties)

    @property
    def description(self) -> str:
        """What its author says of it."""
        text = self.facts.get("description")
        return text if isinstance(text, str) else ""


class Schemas:
    """The schemas inside `root`; `at` says where a part of it stands, for errors.

    `base` is how long the way is to what `$ref` counts from: 0 in a document that is one whole.
    """

    def __init__(self, root: Any, at: Callable[[Loc], Position | None], *, base: int = 0) -> None:
        self._base = base
        self._root = root
        self._at = at
        self._resolved: dict[Loc, Node] = {}
        self._shapes: dict[Loc, Shape] = {}
        self._open: list[Loc] = []
        self._left = MAX_FIELDS

    def resolve(self, node: Node) -> Node:
        """What `node` refers to in the end; itself if it is no reference."""
        passed: dict[Loc, None] = {}
        while _reference(node) is not None:
            if node.loc in self._resolved:
                node = self._resolved[node.loc]
                break
            if node.loc in passed:
                self._fail("this $ref leads back to itself", (*node.loc, "$ref"), hint="Let one of them say a type.")
            passed[node.loc] = None
            self.spend(1, node.loc)
            node = self._target(node)
        self._resolved.update(dict.fromkeys(passed, node))
        return node

    def shape(self, node: Node) -> Shape:
        """What `node` comes to."""
        beside = isinstance(node.schema, Mapping) and _says_nullable(node.schema)
        target = self.resolve(node)
        found = self._shapes.get(target.loc)
        if found is None:
            if target.loc in self._open:
                self._fail("this schema is made of itself", node.loc, hint="Take it out of its own allOf or oneOf.")
            if len(self._open) >= MAX_DEPTH:
                self._fail(f"schemas stand in each other more than {MAX_DEPTH} deep", node.loc, hint="Flatten them.")
            self._open.append(target.loc)
            found = self._shapes[target.loc] = self._read(target)
            self._open.pop()
            self.spend(1 + len(found.properties), target.loc)
        return replace(found, nullable=True) if beside and not found.nullable else found

    def _read(self, node: Node) -> Shape:
        schema = node.schema
        if not isinstance(schema, Mapping):
            return Shape("any", node.loc)
        own = _plain(schema, node.loc)
        parts = [self.shape(part) for part in _listed(node, "allOf")]
        nullable = own.nullable
        notes = own.notes
        for word in ("oneOf", "anyOf"):
            branches = [self.shape(branch) for branch in _listed(node, word)]
            known = [branch for branch in branches if branch.kind != "null"]
            nullable = nullable or len(known) < len(branches)
            if known:
                part, note = _chosen(known)
                parts.append(part)
                notes += note
        if own.kind == "any" and len(parts) == 1 and "enum" not in own.facts:
            only = parts[0]
            return replace(
                only,
                nullable=only.nullable or nullable,
                notes=_few(*notes, *only.notes),
                facts={**only.facts, **own.facts},
                required=only.required | own.required,
            )
        self.spend(sum(len(part.properties) + len(part.required) for part in parts), node.loc)
        return _merged([*parts, own], node.loc, nullable=nullable, notes=notes)

    def _target(self, node: Node) -> Node:
        pointer = _reference(node)
        loc = (*node.loc, "$ref")
        if not isinstance(pointer, str) or not pointer.startswith("#"):
            hint = "Bundle the documents into one file first."
            self._fail(f"{shown(pointer)} refers to another document", loc, hint=hint)
        value = self._root
        path = list(node.loc[: self._base])
        for part in path:
            value = value[part]
        for part in pointer[1:].split("/")[1:]:
            name = unquote(part).replace("~1", "/").replace("~0", "~")
            place = isinstance(value, list) and _PLACE.match(name)
            step: str | int = int(name) if place else name
            try:
                value = value[step]
            except (LookupError, TypeError):
                near = nearest(name, value) if isinstance(value, Mapping) and name[:1] != "$" else None
                self._fail(f"{shown(pointer)} refers to nothing: there is no {shown(name)}", loc, near=near)
            path.append(step)
        if len(pointer) > 1 and len(path) == self._base:
            self._fail(f"{shown(pointer)} refers to nothing", loc, hint="Write it as #/components/schemas/NAME.")
        return Node(value, tuple(path))

    def spend(self, count: int, loc: Loc) -> None:
        """Counts fields that are looked at or written out, at `loc`; too many are an error."""
        self._left -= count
        if self._left < 0:
            message = f"the schemas come to more than {MAX_FIELDS:,} fields"
            self._fail(message, loc, hint="Cut the document down to the paths that you need.")

    def _fail(self, message: str, loc: Loc, *, near: str | None = None, hint: str | None = None) -> NoReturn:
        raise UsageError(Problem(message, self._at(loc), near, hint))


def _reference(node: Node) -> Any:
    return node.schema.get("$ref") if isinstance(node.schema, Mapping) else None


def _listed(node: Node, word: str) -> Iterator[Node]:
    parts = node.schema.get(word)
    for place, part in enumerate(parts if isinstance(parts, list) else ()):
        yield Node(part, (*node.loc, word, place))


def _few(*notes: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(notes))[:MAX_NOTES]


def _says_nullable(schema: Mapping[Any, Any]) -> bool:
    return schema.get("nullable") is True or schema.get("x-nullable") is True


def _plain(schema: Mapping[Any, Any], loc: Loc) -> Shape:
    """What a schema says itself, without its parts."""
    kinds = schema.get("type")
    listed = [kind for kind in (kinds if isinstance(kinds, list) else [kinds]) if isinstance(kind, str)]
    known = [kind for kind in listed if kind in _KINDS]
    facts = {name: schema[name] for name in _FACTS if schema.get(name) is not None}
    if "const" in facts:
        facts.setdefault("enum", [facts["const"]])
    values = facts.get("enum")
    if not isinstance(values, list) or not values:
        facts.pop("enum", None)
        values = []
    given = schema.get("properties")
    properties = given if isinstance(given, Mapping) else {}
    required = schema.get("required")
    kind = known[0] if known else _inferred(schema, values)
    return Shape(
        "null" if kind == "any" and "null" in listed else kind,
        loc,
        nullable=_says_nullable(schema) or "null" in listed or None in values,
        facts=facts,
        properties={
            name: Node(part, (*loc, "properties", name))
            for name, part in properties.items()
            if isinstance(name, str) and 0 < len(name) <= MAX_NAME and name != "<<"  # YAML has no such key
        },
        required=frozenset(name for name in required if isinstance(name, str))
        if isinstance(required, list)
        else frozenset(),
        items=Node(schema["items"], (*loc, "items")) if "items" in schema else None,
        notes=(f"{' or '.join(known)} in the original",) if len(known) > 1 else (),
    )


def _inferred(schema: Mapping[Any, Any], values: list[Any]) -> str:
    if isinstance(schema.get("properties"), Mapping) or "additionalProperties" in schema:
        return "object"
    if "items" in schema:
        return "array"
    kinds = [type(value) for value in values if value is not None]
    return _KIND_OF.get(kinds[0], "any") if len(set(kinds)) == 1 else "any"


def _chosen(branches: list[Shape]) -> tuple[Shape, tuple[str, ...]]:
    """The branch that stands for all: the only one, the first object, or a text."""
    first = branches[0]
    if len(branches) == 1:
        return first, ()
    objects = [branch for branch in branches if branch.is_object]
    nullable = any(branch.nullable for branch in branches)
    if objects:
        return replace(objects[0], nullable=nullable), (f"the first of {len(branches)} alternatives in the original",)
    kinds = list(dict.fromkeys(branch.kind for branch in branches))
    if len(kinds) == 1 and kinds[0] != "array":
        return Shape(kinds[0], first.loc, nullable=nullable), ()
    return Shape("string", first.loc, nullable=nullable), (f"{' or '.join(kinds)} in the original",)


def _merged(parts: list[Shape], loc: Loc, *, nullable: bool, notes: tuple[str, ...]) -> Shape:
    """All parts at once; of what only one can say, the last word counts."""
    kinds = [part.kind for part in parts if part.kind not in ("any", "null")]
    facts: dict[str, Any] = {}
    properties: dict[str, Node] = {}
    for part in parts:
        facts |= part.facts
        properties |= part.properties
    items = [part.items for part in parts if part.items is not None]
    return Shape(
        "object" if properties else kinds[-1] if kinds else parts[-1].kind,
        loc,
        nullable=nullable,
        facts=facts,
        properties=properties,
        required=frozenset().union(*(part.required for part in parts)),
        items=items[-1] if items else None,
        notes=_few(*notes, *(note for part in parts[:-1] for note in part.notes)),
    )
