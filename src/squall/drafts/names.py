"""Names in the world's spelling, made from anybody's: `LineItem`, `line-items` and `lineItemId` are about line items.

Knows names only.
"""

from __future__ import annotations

import keyword
import re

NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*\Z", re.ASCII)
"""What names a service, a record, a field or an operation of a world."""
LONGEST = 64
"""Characters of the longest name that is made; MCP clients take no longer tool names."""

_WORD = re.compile(r"[A-Z]+[0-9]*(?=[A-Z][a-z])|[A-Z]?[a-z][a-z0-9]*|[A-Z]+[0-9]*|[0-9]+")
_IRREGULAR = {
    "caches": "cache",
    "children": "child",
    "cookies": "cookie",
    "movies": "movie",
    "people": "person",
    "news": "news",
    "series": "series",
}


def words(text: str) -> list[str]:
    """The words of a name, in small letters."""
    return [word.lower() for word in _WORD.findall(text)]


def snake(text: str, otherwise: str = "unnamed") -> str:
    """`text` as a name of a world: `line_item`. Begins with a letter, which `otherwise` lends where there is none."""
    name = "_".join(words(text))
    if not NAME.match(name):
        name = f"{otherwise}_{name}" if name else otherwise
    return name[:LONGEST].rstrip("_")


def field(text: str) -> str:
    """`text` as the name of a field: as it is if it can be one, since agents know it so."""
    return text if NAME.match(text) else snake(text, "field")


def singular(name: str) -> str:
    """`order` for `orders`; only the last word of a name in snake case changes."""
    head, _, last = name.rpartition("_")
    return f"{head}_{_singular(last)}" if head else _singular(last)


def _singular(word: str) -> str:
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if word.endswith("ies") and len(word) > len("dies"):
        return f"{word[:-3]}y"
    if word.endswith(("sses", "xes", "ches", "shes", "zzes", "tuses", "ruses")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")) and len(word) > 1:
        return word[:-1]
    return word


def subject(field: str) -> str | None:
    """The record that a field such as `customerId`, `customer_id` or `customer_ids` names by its name: `customer`."""
    *about, last = words(field) or [""]
    return "_".join(about) if about and last in ("id", "ids", "uuid") else None


def same(left: str, right: str) -> bool:
    """Whether two names have the same words."""
    return words(left) == words(right)


class Taken:
    """Names that are in use."""

    def __init__(self, *names: str) -> None:
        self._next = dict.fromkeys(names, 2)

    def __contains__(self, name: str) -> bool:
        return name in self._next

    def take(self, name: str) -> str:
        """`name`, or the first of `name_2`, `name_3`, … that is free; it is in use from now on."""
        found, number = name, self._next.get(name, 2)
        while found in self._next:
            tail = f"_{number}"
            found = f"{name[: LONGEST - len(tail)]}{tail}"
            number += 1
        self._next[name] = number
        self._next.setdefault(found, 2)
        return found


def identifier(text: str) -> str:
    """`text` as the name of a Python argument or function."""
    name = snake(text, "value")
    return f"{name}_" if keyword.iskeyword(name) else name
