"""Instances of a JSON Schema: a small one that is valid, and what is wrong with one that is not.

Made for the schemas that tools and structured answers have. A schema that nothing is an instance of gets what comes
nearest to one. Nothing is fetched: references lead into the schema itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from squall.models.schemas.flat import Impossible
from squall.models.schemas.maker import Maker

if TYPE_CHECKING:
    from jsonschema.protocols import Validator  # type: ignore[import-untyped]  # it comes without stubs

REMEMBERED, LARGE = 256, 2  # schemas, and those of them that are larger than
LARGER = 64 * 1024  # bytes
VARIANTS = 8
BROKEN = (AttributeError, KeyError, OverflowError, TypeError, ValueError, re.error)
"""What comes of a schema whose words have values that they cannot have: it is no schema."""
Schema = Mapping[str, Any]
T = TypeVar("T")


def minimal(schema: Schema) -> Any:
    """A small instance of a schema, the same in every run, and a new object each time."""
    return msgspec.json.decode(_minimal(msgspec.json.encode(schema)))


def problem_with(value: Any, schema: Schema) -> str | None:
    """Why a value is no instance of a schema, and where; None if it is one, or if the schema itself is none."""
    return _problem(value, schema, msgspec.json.encode(schema))


def _remembering(make: Callable[[bytes], T]) -> Callable[[bytes], T]:
    """What comes of a schema, made once for those of late; few that are large, which would fill the memory."""
    small, large = lru_cache(maxsize=REMEMBERED)(make), lru_cache(maxsize=LARGE)(make)
    return lambda schema: small(schema) if len(schema) <= LARGER else large(schema)


@_remembering
def _minimal(schema: bytes) -> bytes:
    root = msgspec.json.decode(schema)
    if not root:
        return b"{}"  # anything will do, and most who ask for JSON ask for an object
    maker = Maker(root, lambda value, part: _problem(value, part, schema) is None)
    made = []
    for variant in range(VARIANTS):
        try:
            value = maker.make(root, variant)
            made.append(msgspec.json.encode(value))
        except (Impossible, RecursionError, *BROKEN):
            break
        if _problem(value, root, schema) is None:
            return made[-1]
    return made[0] if made else b"{}"


def _problem(value: Any, part: Schema, schema: bytes) -> str | None:
    """What is wrong with an instance of a part of a schema; nothing where that cannot be told."""
    validator = _validator(schema)
    if validator is None:
        return None
    from jsonschema.exceptions import best_match  # type: ignore[import-untyped]  # imported here as below
    from referencing.exceptions import Unresolvable

    try:
        problem = best_match(validator.evolve(schema=part).iter_errors(value))
    except (Unresolvable, RecursionError, *BROKEN):
        return None
    return None if problem is None else f"{problem.message} (at {problem.json_path})"


@_remembering
def _validator(schema: bytes) -> Validator | None:
    """What judges instances of a schema; None if it is no schema. References to other documents are not followed."""
    # 90 ms, and only those pay that ask for structured answers
    from jsonschema.exceptions import SchemaError
    from jsonschema.validators import Draft202012Validator, validator_for  # type: ignore[import-untyped]  # as above
    from referencing import Registry

    root = msgspec.json.decode(schema)
    try:
        kind = validator_for(root, default=Draft202012Validator)
        kind.check_schema(root)
    except (SchemaError, RecursionError, *BROKEN):
        return None
    return kind(root, registry=Registry())
