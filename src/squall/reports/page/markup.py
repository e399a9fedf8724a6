"""HTML and SVG, built from Python values: every text is escaped and visible unless it is markup already.

Knows tags and attributes, and no page. A text that somebody else wrote can be nothing but text, wherever it is put.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from squall.reports.visible import visible

VOID = frozenset({"br", "col", "hr", "link", "meta", "wbr"})
BREAKS = re.compile(r"[_./-](?=\w)")
DRAWN = frozenset({"circle", "line", "path", "polygon", "rect"})
LONGEST = 4000
"""Characters of one text: whoever puts in more has forgotten to shorten it."""


class Markup(str):
    """Text that is markup: it is put in as it is."""

    __slots__ = ()


Child = str | Iterable[str] | None
Attribute = str | float | bool | None


def text(words: str) -> Markup:
    """Words as they may stand between tags and in quotes."""
    return words if isinstance(words, Markup) else Markup(escape(visible(words, LONGEST)))


def tag(name: str, /, *children: Child, **attributes: Attribute) -> Markup:
    """`tag("td", "a", class_="number")`. None and False leave an attribute out, True gives it no value.

    In attributes' names `_` stands for `-`; one at the end is dropped. Children may be texts or many of them.
    """
    written = "".join(map(_attribute, attributes, attributes.values()))
    if name in VOID:
        return Markup(f"<{name}{written}>")
    inside = "".join(map(_child, children))
    if name in DRAWN and not inside:
        return Markup(f"<{name}{written}/>")
    return Markup(f"<{name}{written}>{inside}</{name}>")


def name(words: str, longest: int = 40) -> Markup:
    """What somebody called something: its direction turns nothing around it, and it is broken where words end."""
    shown = text(visible(words, longest))
    return tag("bdi", Markup(BREAKS.sub(r"\g<0><wbr>", shown)))


def _child(child: Child) -> str:
    if child is None:
        return ""
    return text(child) if isinstance(child, str) else "".join(map(text, child))


def _attribute(name: str, value: Attribute) -> str:
    if value is None or value is False:
        return ""
    name = name.rstrip("_").replace("_", "-") if name != "viewBox" else name
    if value is True:
        return f" {name}"
    if isinstance(value, float):
        value = f"{value:.2f}".rstrip("0").rstrip(".")
    return f' {name}="{text(str(value))}"'
