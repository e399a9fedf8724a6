"""Whether an argument of a call is the value that a rule names: as JSON compares, whatever Python types carry the two.

1 is 1.0 and is not True; an Enum is its value, a tuple a list. What is text on the wire and means more is compared by
what it means: a datetime, or text where the argument's JSON Schema says `date-time`, as a moment; a Decimal, or text
where the schema takes numbers alone, as a number. Knows no rule and no call, and checks no value against a schema.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Callable, Mapping
from datetime import UTC, date, datetime
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any

Schema = Mapping[str, Any]
ANY: Schema = {}
NUMBERS, NO_NUMBERS = ("0", "7", "1.5"), ("", "x", "1.5.0", "0x7")
REMEMBERED = 256  # patterns


def same(given: Any, wanted: Any, schema: Schema = ANY, root: Schema | None = None) -> bool:
    """Whether `given` is `wanted`. `schema` is the JSON Schema of both; `root` holds what it refers to."""
    root = schema if root is None else root
    given = given.value if isinstance(given, enum.Enum) else given
    if given is None or wanted is None or isinstance(given, bool) or isinstance(wanted, bool):
        return given is wanted
    if isinstance(wanted, Mapping):
        if not isinstance(given, Mapping) or given.keys() != wanted.keys():
            return False
        inner = _within(schema, "properties", root)
        return all(same(given[name], value, inner.get(name, ANY), root) for name, value in wanted.items())
    if isinstance(wanted, list | tuple):
        if not isinstance(given, list | tuple) or len(given) != len(wanted):
            return False
        inner = _within(schema, "items", root)
        return all(same(one, other, inner, root) for one, other in zip(given, wanted, strict=True))
    read = meaning(schema, root) or _meaning_of_types(given, wanted)
    one, other = (None, None) if read is None else (read(given), read(wanted))
    if one is not None and other is not None:
        return bool(one == other)
    return _is_plainly(_day(given), _day(wanted))


def branches(schema: Any, root: Schema) -> list[Schema]:
    """`schema`, and every schema that it is made of by `$ref`, `anyOf`, `oneOf` and `allOf`."""
    found: list[Schema] = []
    waiting = [schema]
    for each in waiting:  # which grows meanwhile
        if isinstance(each, Mapping) and not any(each is known for known in found):
            found.append(each)
            waiting += [referred(each, root)] if "$ref" in each else []
            waiting += [option for word in ("anyOf", "oneOf", "allOf") for option in each.get(word, ())]
    return found


def referred(schema: Schema, root: Schema) -> Schema:
    """What the `$ref` of `schema` names within `root`; where it names nothing there, a schema of anything."""
    found: Any = root
    for step in str(schema["$ref"]).removeprefix("#").split("/")[1:]:
        found = found.get(step.replace("~1", "/").replace("~0", "~")) if isinstance(found, Mapping) else None
    return found if isinstance(found, Mapping) else ANY


def meaning(schema: Schema, root: Schema) -> Callable[[Any], Any] | None:
    """How to read text of this schema that means more than text: `moment` or `number`, else None."""
    for each in branches(schema, root):
        if each.get("format") == "date-time":
            return moment
        if isinstance(pattern := each.get("pattern"), str) and _takes_numbers_alone(pattern):
            return number
    return None


def moment(value: Any) -> datetime | None:
    """The moment that a datetime or its ISO text means; without a zone it is in UTC."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.strip())
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def number(value: Any) -> Decimal | None:
    """The finite number that a number or its text means; a float is the number that it is printed as."""
    if isinstance(value, bool) or not isinstance(value, int | float | str | Decimal):
        return None
    try:
        found = Decimal(repr(value) if isinstance(value, float) else value)
    except InvalidOperation:
        return None
    return found if found.is_finite() else None


@lru_cache(REMEMBERED)
def _takes_numbers_alone(pattern: str) -> bool:
    try:
        found = re.compile(pattern)
    except re.error:  # JSON Schema has ECMA's expressions
        return False
    return all(map(found.search, NUMBERS)) and not any(map(found.search, NO_NUMBERS))


def _meaning_of_types(given: Any, wanted: Any) -> Callable[[Any], Any] | None:
    if isinstance(given, datetime) or isinstance(wanted, datetime):
        return moment
    return number if isinstance(given, Decimal) or isinstance(wanted, Decimal) else None


def _within(schema: Schema, word: str, root: Schema) -> Schema:
    return next((each[word] for each in branches(schema, root) if isinstance(each.get(word), Mapping)), ANY)


def _day(value: Any) -> Any:
    return value.isoformat() if isinstance(value, date) else value


def _is_plainly(one: Any, other: Any) -> bool:
    for kind in (str, int | float):
        if isinstance(one, kind) and isinstance(other, kind):
            return bool(one == other)
    return False
