"""Whether an argument can have the value that a rule names, by the argument's JSON Schema; if not, what is wrong.

Refuses only what is certainly no value of the argument: words of JSON Schema that are not known here let anything pass.
Knows no rule and no target.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from operator import ge, gt, le, lt
from typing import Any, NamedTuple

from squall.decide.same import Schema, meaning, moment, referred, same
from squall.errors import nearest, shown

TEXT, NUMBER, WHOLE, TRUTH, LIST, MAPPING, NULL = "string", "number", "integer", "boolean", "array", "object", "null"
WORDS = {
    TEXT: "text",
    NUMBER: "a number",
    WHOLE: "a whole number",
    TRUTH: "true or false",
    LIST: "a list",
    MAPPING: "a mapping",
    NULL: "null",
}
MOMENT = "a date and time such as 2025-06-01T12:00:00Z"
DAY = "a date such as 2025-06-01"
BOUNDS: Mapping[str, tuple[str, Callable[[Any, Any], bool]]] = {
    "minimum": ("from", ge),
    "exclusiveMinimum": ("above", gt),
    "maximum": ("to", le),
    "exclusiveMaximum": ("below", lt),
}
SIZES: Mapping[str, tuple[str, str, Callable[[Any, Any], bool]]] = {
    "minLength": (TEXT, "at least {} long", ge),
    "maxLength": (TEXT, "at most {} long", le),
    "minItems": (LIST, "at least {} long", ge),
    "maxItems": (LIST, "at most {} long", le),
}


class Wrong(NamedTuple):
    """Why a value is none of an argument's: a clause that begins after its name, `is text, and 7 is a number`.

    `path` leads to the spot within the value; `nearest` and `hint` as in a problem; `alien` says that not even the kind
    of value is right.
    """

    why: str
    path: tuple[str | int, ...] = ()
    nearest: str | None = None
    hint: str | None = None
    alien: bool = False

    @property
    def spot(self) -> str:
        """The path as it is written behind the argument's name: `[0].city`."""
        return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in self.path)


def wrong_with(value: Any, schema: Schema) -> Wrong | None:
    """What is wrong with `value` for an argument with this schema; None where nothing certainly is."""
    try:
        return _wrong(value, schema, schema)
    except RecursionError:  # a schema that refers to itself alone, or a value nested without end
        return None


def _wrong(value: Any, schema: Schema, root: Schema) -> Wrong | None:
    if "$ref" in schema:
        return _wrong(value, referred(schema, root), root)
    read = meaning(schema, root)
    if read is not None and read(value) is not None:
        return None
    options = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    if options:
        return _none_of(value, options, schema, root)
    for part in schema.get("allOf", ()):
        if found := _wrong(value, part, root):
            return found
    members = schema["enum"] if "enum" in schema else [schema["const"]] if "const" in schema else None
    if members is not None and not any(same(value, member) for member in members):
        texts = [member for member in members if isinstance(member, str)]
        return _unlike(value, schema, root, near=nearest(value, texts))
    kinds = _kinds(schema)
    if kinds and not any(_is(value, kind) for kind in kinds):
        return _of_another_kind(value, schema, root)
    if isinstance(value, Mapping):
        return next(_wrong_inside(value, schema, root), None)
    if isinstance(value, list | tuple):
        items = schema.get("items", {})
        for place, item in enumerate(value):
            if isinstance(items, Mapping) and (found := _wrong(item, items, root)):
                return found._replace(path=(place, *found.path), alien=False)
    return None if _is_within(value, schema, read) else _unlike(value, schema, root, near=_near_day(value, schema))


def _none_of(value: Any, options: list[Any], schema: Schema, root: Schema) -> Wrong | None:
    """What is wrong with a value of several possible kinds: by the one that it was meant to be of, if that is clear."""
    found: list[Wrong] = []
    for option in options:
        wrong = _wrong(value, option, root)
        if wrong is None:
            return None
        found.append(wrong)
    close = [wrong for wrong in found if not wrong.alien]
    if len(close) == 1:
        return close[0]
    helpful = next((wrong for wrong in found if wrong.nearest or wrong.hint), None)
    wrong = _unlike(value, schema, root, alien=not close)
    return wrong if helpful is None else wrong._replace(nearest=helpful.nearest, hint=helpful.hint)


def _wrong_inside(value: Mapping[str, Any], schema: Schema, root: Schema) -> Iterator[Wrong]:
    inner = schema.get("properties", {})
    for name, item in value.items():
        if name in inner:
            if found := _wrong(item, inner[name], root):
                yield found._replace(path=(name, *found.path), alien=False)
        elif schema.get("additionalProperties") is False:
            yield Wrong(f"has no {name!r}; it has {', '.join(inner) or 'nothing'}", nearest=nearest(name, inner))
    for name in schema.get("required", ()):
        if name not in value:
            yield Wrong(f"always has {name!r}, and {shown(value)} has none", hint="Values are compared as a whole.")


def _unlike(value: Any, schema: Schema, root: Schema, near: str | None = None, *, alien: bool = False) -> Wrong:
    return Wrong(f"is {_words(schema, root)}, and {_shown(value)} is not", nearest=near, alien=alien)


def _of_another_kind(value: Any, schema: Schema, root: Schema) -> Wrong:
    """With the same value as the right kind, if there is one."""
    why = f"is {_words(schema, root)}, and {_shown(value)} is {_kind(value, schema)}"
    for kind in _kinds(schema):
        if kind == LIST:
            hint = f"A list here is a choice of values; write one that is a list itself within it: [[{_shown(value)}]]."
            return Wrong(why, hint=hint, alien=True)
        if kind == TEXT and isinstance(value, bool | int | float):
            text = str(value).lower()
            if _wrong(text, schema, root) is None:
                return Wrong(why, nearest=text, hint="Put it in quotes.", alien=True)
        other = _unquoted(value) if isinstance(value, str) and kind != TEXT else None
        if other is not None and _wrong(other, schema, root) is None:
            return Wrong(why, hint=f"Write {value.strip().lower()}, without quotes.", alien=True)
    return Wrong(why, alien=True)


def _unquoted(text: str) -> Any:
    """What the text would be without its quotes, or None."""
    if text.lower() in ("true", "false"):
        return text.lower() == "true"
    for read in (int, float):
        try:
            found = read(text)
        except ValueError:
            continue
        return found if math.isfinite(found) else None
    return None


def _kinds(schema: Schema) -> list[str]:
    kinds = schema.get("type", [])
    return [kinds] if isinstance(kinds, str) else list(kinds)


def _is(value: Any, kind: str) -> bool:
    if kind == NULL or value is None:
        return kind == NULL and value is None
    if kind == TRUTH or isinstance(value, bool):
        return kind == TRUTH and isinstance(value, bool)
    if kind == WHOLE:
        return isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    python = {TEXT: str | date | Decimal, NUMBER: int | float | Decimal, LIST: list | tuple, MAPPING: Mapping}
    return kind not in python or isinstance(value, python[kind])


def _kind(value: Any, schema: Schema) -> str:
    """What a value is, in words that tell it from what the schema asks for."""
    if isinstance(value, bool):
        return "a boolean"
    if value is None or (_is(value, NUMBER) and WHOLE in _kinds(schema)):
        return "not"
    return next((WORDS[kind] for kind in (NUMBER, TEXT, LIST, MAPPING) if _is(value, kind)), "something else")


def _is_within(value: Any, schema: Schema, read: Callable[[Any], Any] | None) -> bool:
    """Whether a value of the right kind keeps to the bounds, and to the form of its text."""
    if isinstance(value, str):
        pattern, form = schema.get("pattern"), schema.get("format")
        if read is not None or (isinstance(pattern, str) and not _matches(pattern, value)):
            return False
        if form == "date" and _near_day(value, schema) != value:
            return False
    elif isinstance(value, int | float | Decimal) and not isinstance(value, bool):
        return all(holds(value, schema[word]) for word, (_, holds) in BOUNDS.items() if word in schema)
    sizes = [(word, holds) for word, (kind, _, holds) in SIZES.items() if word in schema and _is(value, kind)]
    return all(holds(len(value), schema[word]) for word, holds in sizes if isinstance(value, str | list | tuple))


def _matches(pattern: str, text: str) -> bool:
    try:
        return re.search(pattern, text) is not None
    except re.error:  # JSON Schema has ECMA's expressions
        return True


def _near_day(value: Any, schema: Schema) -> str | None:
    """The day that a text means in the way days are written, where the schema is about days."""
    if not isinstance(value, str) or schema.get("format") != "date":
        return None
    try:
        return datetime.fromisoformat(value.strip()).date().isoformat()
    except ValueError:
        return None


def _shown(value: Any) -> str:
    return "null" if value is None else shown(value)


def _words(schema: Schema, root: Schema) -> str:
    """What values of a schema are, in words."""
    if "$ref" in schema:
        return _words(referred(schema, root), root)
    if options := [*schema.get("anyOf", ()), *schema.get("oneOf", ())]:
        return " or ".join(dict.fromkeys(_words(option, root) for option in options))
    if "enum" in schema:
        return f"one of {', '.join('null' if member is None else str(member) for member in schema['enum'])}"
    if "const" in schema:
        return _shown(schema["const"])
    read = meaning(schema, root)
    if read is not None:
        return MOMENT if read is moment else "a decimal number"
    if schema.get("format") == "date":
        return DAY
    words = " or ".join(WORDS.get(kind, kind) for kind in _kinds(schema)) or "something else"
    bounds = [f" {word} {schema[key]}".removesuffix(".0") for key, (word, _) in BOUNDS.items() if key in schema]
    sizes = [said.format(schema[key]) for key, (_, said, _) in SIZES.items() if key in schema]
    words += "".join(bounds) + (f" {' and '.join(sizes)}" if sizes else "")
    return words + (f" that matches {schema['pattern']}" if "pattern" in schema else "")
