"""What stands in the arguments of a call: values by their paths, numbers in texts, and all their texts.

Knows no policy. Takes what models write, of any size and depth: nothing here is slower than the arguments are long.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any, NamedTuple

LONGEST_NUMBER = 1000
LONGEST_PLACE = 9
AMOUNT = re.compile(
    r"(?P<sign>[-+−]?)(?:(?:[A-Z]{1,3}\$|[A-Z]{3}|[$€£¥₹₩₽]) ?(?P<more>[-+−]?))?"
    r"(?P<number>[0-9][0-9.,'’_ ]*|\.[0-9]+)(?P<power>[eE][-+]?[0-9]{1,3})?"
    r" ?(?:[A-Z]{3}|[$€£¥₹₩₽])?"
)
"""`900`, `$900.00`, `-$1,200`, `1 200,50 €`, `USD 1e3`."""
GROUPED = re.compile(r"[0-9]{1,3}(?:[^0-9][0-9]{3})+")
Way = tuple[Any, str] | None
"""The way to a value: that to what holds it, and its own name there."""


_written = json.JSONEncoder(ensure_ascii=False, default=str).encode


class Text(NamedTuple):
    """One text among arguments, and the way to its argument; None where it is the arguments as a whole."""

    way: Way
    text: str

    @property
    def path(self) -> str:
        """The way as people write it: `items.1.name`."""
        names: list[str] = []
        way = self.way
        while way is not None:
            way, name = way
            names.append(name)
        return ".".join(reversed(names))


def values_at(arguments: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The values at a dotted path, each with where it stands: `items.1.price`.

    A path goes through lists into each of their elements, and into one where it names its place. A key that holds dots
    itself is found as well. A value of null is as good as none: models write it for what they leave out.
    """
    if not path:
        yield from _elements("", arguments)
    elif isinstance(arguments, Mapping):
        name, _, rest = (path, "", "") if path in arguments else path.partition(".")
        if name in arguments:
            yield from _below(name, values_at(arguments[name], rest))
    elif isinstance(arguments, list | tuple):
        head, _, rest = path.partition(".")
        if head.isascii() and head.isdigit() and len(head) <= LONGEST_PLACE:
            if int(head) < len(arguments):
                yield from _below(head, values_at(arguments[int(head)], rest))
        else:
            for number, element in enumerate(arguments):
                yield from _below(str(number), values_at(element, path))


def _elements(path: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A value; of a list, however deep, the values in it."""
    todo = [(path, value)]
    while todo:
        path, value = todo.pop()
        if isinstance(value, list | tuple):
            todo += ((f"{path}.{n}" if path else str(n), value[n]) for n in reversed(range(len(value))))
        elif value is not None:
            yield path, value


def _below(name: str, found: Iterator[tuple[str, Any]]) -> Iterator[tuple[str, Any]]:
    for path, value in found:
        yield f"{name}.{path}" if path else name, value


def whole_at(arguments: Any, path: str) -> Any:
    """The one value at a path that goes through mappings alone; None where there is none."""
    if not path:
        return arguments
    if not isinstance(arguments, Mapping):
        return None
    name, _, rest = (path, "", "") if path in arguments else path.partition(".")
    return whole_at(arguments[name], rest) if name in arguments else None


def number_of(value: Any) -> Decimal | None:
    """The number that a value is, or that its text says; None where it is none (NaN and infinity are none)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return Decimal(value)
    if isinstance(value, float):
        return Decimal(repr(value)) if math.isfinite(value) else None
    if not isinstance(value, str) or len(value) > LONGEST_NUMBER:
        return None
    found = AMOUNT.fullmatch(unicodedata.normalize("NFKC", value).strip())
    if found is None:
        return None
    digits = _plain(found["number"].strip())
    if digits is None:
        return None
    sign = "-" if {found["sign"], found["more"]} & {"-", "−"} else ""
    return Decimal(f"{sign}{digits}{found['power'] or ''}")


def _plain(text: str) -> str | None:
    """A number without what parts its thousands, and with a point before its decimals."""
    marks = [each for each in text if not each.isdigit()]
    if not marks or text.startswith("."):
        return text
    last = marks[-1]
    grouped = GROUPED.fullmatch(text) is not None and len(set(marks)) == 1
    if (grouped and (last != "." or len(marks) > 1)) or last not in ".,":
        return "".join(each for each in text if each.isdigit()) if GROUPED.fullmatch(text) else None
    whole, _, decimals = text.rpartition(last)
    others = set(marks[:-1])
    if len(others) > 1 or last in others or (others and GROUPED.fullmatch(whole) is None):
        return None
    return f"{''.join(each for each in whole if each.isdigit())}.{decimals or 0}"


def texts_in(arguments: Any) -> Iterator[Text]:
    """Every key and every text among arguments, as it is once JSON's escapes are read."""
    todo: list[tuple[Way, Any]] = [(None, arguments)]
    while todo:
        way, value = todo.pop()
        if isinstance(value, str):
            yield Text(way, value)
        elif isinstance(value, Mapping):
            inner = [((way, str(name)), each) for name, each in value.items()]
            for below, _ in inner:
                yield Text(below, below[1])
            todo += reversed(inner)
        elif isinstance(value, list | tuple):
            todo += (((way, str(n)), value[n]) for n in reversed(range(len(value))))


def as_written(arguments: Any) -> str:
    """Arguments as JSON, as a model would write them."""
    try:
        return _written(arguments)
    except (ValueError, RecursionError):
        return str(arguments)
