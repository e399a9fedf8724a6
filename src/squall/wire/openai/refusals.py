"""What OpenAI calls a request that it refuses: a sentence, the part of the body at fault, and a code.

Codes and the paths of parts are the provider's, because clients branch on them; the sentences are squall's own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from squall.call import BadRequest

KINDS = ((bool, "a boolean"), (int, "an integer"), (float, "a decimal"), (str, "a string"), (Mapping, "an object"))


def missing(param: str) -> BadRequest:
    """A part that has to be there."""
    return BadRequest(
        f"The request lacks the required parameter '{param}'.", param=param, code="missing_required_parameter"
    )


def unknown(param: str) -> BadRequest:
    """A field that the endpoint does not know."""
    return BadRequest(
        f"Unrecognized request argument: this endpoint has no parameter '{param}'.",
        param=param,
        code="unknown_parameter",
    )


def wrong_type(param: str, expected: str, value: Any) -> BadRequest:
    """A value of another type than `expected` ("a string")."""
    return BadRequest(
        f"Invalid type for '{param}': it should be {expected}, and {_kind(value)} was sent.",
        param=param,
        code="invalid_type",
    )


def not_one_of(param: str, value: str, choices: Iterable[str]) -> BadRequest:
    """A word that is none of `choices`."""
    known = ", ".join(f"'{choice}'" for choice in choices)
    return BadRequest(
        f"Invalid value for '{param}': '{value}' is not supported. It can be one of {known}.",
        param=param,
        code="invalid_value",
    )


def out_of_range(param: str, value: float, *, least: float | None = None, most: float | None = None) -> BadRequest:
    """A number below `least` or above `most`, whichever is given."""
    kind = "integer" if isinstance(value, int) else "decimal"
    side, bound, limit = ("below", "min", least) if least is not None else ("above", "max", most)
    edge = "at least" if least is not None else "at most"
    return BadRequest(
        f"Invalid '{param}': {value} is {side} what is allowed. It should be {edge} {limit}.",
        param=param,
        code=f"{kind}_{side}_{bound}_value",
    )


def too_long(param: str, what: str, length: int, most: int) -> BadRequest:
    """A `string`, an `array` or an `object` with more than `most` characters, items or properties."""
    unit = {"string": "characters", "array": "items", "object": "properties"}[what]
    code = f"{what}_above_max_{'properties' if what == 'object' else 'length'}"
    return BadRequest(f"Invalid '{param}': it has {length} {unit}, and {most} are the most.", param=param, code=code)


def empty(param: str, what: str) -> BadRequest:
    """A `string` or an `array` that has nothing in it."""
    return BadRequest(f"Invalid '{param}': an empty {what} is not accepted here.", param=param, code=f"empty_{what}")


def not_matching(param: str, pattern: str) -> BadRequest:
    """A string with characters that it must not have."""
    return BadRequest(
        f"Invalid '{param}': the string has to match the pattern '{pattern}'.", param=param, code="invalid_value"
    )


def invalid(message: str, param: str, code: str | None = "invalid_value") -> BadRequest:
    """Anything else, in a sentence of its own."""
    return BadRequest(message, param=param, code=code)


def not_found(message: str, param: str | None = None, code: str | None = None) -> BadRequest:
    """Something that is asked for by its name and is not there."""
    return BadRequest(message, param=param, code=code, status=404)


def _kind(value: Any) -> str:
    if value is None:
        return "null"
    return next((name for kind, name in KINDS if isinstance(value, kind)), "an array")
