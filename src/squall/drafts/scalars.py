"""Single values: the type text, and the Python annotation, for a schema of one text, number, truth or choice.

Knows formats, ranges and enums; knows no record.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from math import ceil, floor
from typing import Any, NamedTuple

from squall.drafts.schemas import Shape

MAX_MEMBERS = 40
"""An enum of more members than this is left a text."""
LONGEST = 100  # characters of a member
_FAR = 10**15  # a bound further out than this says how a number is stored, not what it means
_MEMBER = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_ .:/+-]*[A-Za-z0-9_./+-])?\Z")
_FORMATS = {
    "date": "date",
    "date-time": "datetime",
    "datetime": "datetime",
    "decimal": "decimal",
    "email": "str(email)",
    "idn-email": "str(email)",
    "phone": "str(phone)",
    "uri": "str(url)",
    "url": "str(url)",
    "uuid": "str(uuid)",
}
_ANNOTATIONS = {"integer": "int", "number": "float", "boolean": "bool", "object": "dict[str, Any]", "any": "Any"}
_STORED = {"date": "date", "datetime": "datetime", "decimal": "Decimal"}


def scalar(shape: Shape) -> tuple[str, tuple[str, ...]]:
    """The type of a schema that is neither object nor array, and what it does not say."""
    values = [value for value in shape.facts.get("enum", ()) if value is not None]
    if shape.kind == "boolean":
        return "bool", ()
    if shape.kind == "integer":
        whole = [value for value in values if isinstance(value, int) and not isinstance(value, bool)]
        note = (f"one of {_listed(values)}",) if values else ()
        limits = (_Bound(min(whole)), _Bound(max(whole))) if whole else _whole(*_bounds(shape.facts))
        return f"int{_range(*limits)}", note
    if shape.kind == "number":
        word = "decimal" if shape.facts.get("format") == "decimal" else "float"
        notes = (f"one of {_listed(values)}",) if values else ()
        return f"{word}{_range(*_bounds(shape.facts))}", notes
    if shape.kind == "string":
        return _text(shape, values)
    return "str", ("any value in the original",)


def annotation(shape: Shape) -> str:
    """The Python annotation of a schema that is no array."""
    if shape.kind != "string":
        return _ANNOTATIONS.get(shape.kind, "Any")
    word, _ = scalar(shape)
    if word.startswith("enum["):
        return f"Literal[{', '.join(json.dumps(value) for value in shape.facts['enum'] if value is not None)}]"
    return _STORED.get(word, "str")


def _text(shape: Shape, values: list[Any]) -> tuple[str, tuple[str, ...]]:
    if values:
        members = list(dict.fromkeys(values)) if all(isinstance(value, str) for value in values) else []
        if (
            members
            and len(members) <= MAX_MEMBERS
            and all(_MEMBER.match(member[:LONGEST]) and len(member) <= LONGEST for member in members)
        ):
            return f"enum[{', '.join(members)}]", ()
        return "str", (f"one of {_listed(values)}",)
    form = shape.facts.get("format")
    if isinstance(form, str) and form in _FORMATS:
        return _FORMATS[form], ()
    return ("decimal" if _is_decimal(shape.facts.get("pattern")) else "str"), ()


def _is_decimal(pattern: Any) -> bool:
    """Whether a pattern is that of a decimal number: digits and at most one point."""
    if not isinstance(pattern, str) or pattern.count(r"\.") != 1:
        return False
    return not set(pattern.replace("0-9", "").replace(r"\d", "")) - set(r"^$-+?*()[]{}\.,:0123456789")


class _Bound(NamedTuple):
    """A bound of a number, and whether it is none of the numbers itself."""

    value: Any
    shut: bool = False


def _whole(low: _Bound, high: _Bound) -> tuple[_Bound, _Bound]:
    """The bounds of a whole number, which has a next one: so they are among the numbers."""
    least = None if low.value is None else floor(low.value) + 1 if low.shut else ceil(low.value)
    most = None if high.value is None else ceil(high.value) - 1 if high.shut else floor(high.value)
    return _Bound(least), _Bound(most)


def _bounds(facts: Mapping[str, Any]) -> tuple[_Bound, _Bound]:
    """The lower and the upper bound; the narrower one where there is an inclusive and an exclusive one."""
    low, high = (
        _bound(facts.get(f"{end}imum"), facts.get(f"exclusive{end.capitalize()}imum"), narrower)
        for end, narrower in (("min", max), ("max", min))
    )
    return low, high


def _bound(open_to: Any, shut: Any, narrower: Callable[[Any, Any], Any]) -> _Bound:
    if not _is_near(open_to):
        open_to = None
    if shut is True:  # OpenAPI 3.0 and Swagger 2
        return _Bound(open_to, shut=open_to is not None)
    if not _is_near(shut) or (open_to is not None and shut != open_to and narrower(open_to, shut) == open_to):
        return _Bound(open_to)
    return _Bound(shut, shut=True)  # JSON Schema since draft 6


def _is_near(bound: Any) -> bool:
    return isinstance(bound, int | float) and not isinstance(bound, bool) and -_FAR < bound < _FAR


def _range(low: _Bound, high: _Bound) -> str:
    """The range in a type, or nothing where no number at all could be in it."""
    if low.value is None and high.value is None:
        return ""
    both = low.value is not None and high.value is not None
    if both and (low.value > high.value or (low.value == high.value and (low.shut or high.shut))):
        return ""
    return f"[{_end('>', low)}..{_end('<', high)}]"


def _end(sign: str, bound: _Bound) -> str:
    return "" if bound.value is None else f"{sign * bound.shut}{bound.value}"


def _listed(values: list[Any]) -> str:
    few = ", ".join(str(value)[:MAX_MEMBERS] for value in values[:8])
    return few if len(values) <= 8 else f"{few} and {len(values) - 8} more"  # noqa: PLR2004 - what fits a line
