"""Plain text for terminals of 80 columns: what is long is wrapped, names are cut to fit. Knows no report."""

from __future__ import annotations

from itertools import pairwise
from textwrap import wrap

from squall.reports.visible import visible

WIDTH = 80
LONGEST = 2000
"""Characters of one text; nothing longer is read on a terminal."""
CUT = 200


def wrapped(text: str, indent: int = 0, *, hanging: int = 2) -> str:
    """A text in as many lines as it takes; all but the first are set in by `hanging` more."""
    return _filled(" " * indent, text, indent + hanging)


def labelled(label: str, text: str, *, indent: int, wide: int, inside: int = 0) -> str:
    """A label and a text that stays to its right; `inside` sets the text in further."""
    first = f"{' ' * indent}{label:<{wide}}{' ' * inside}"
    return _filled(first, text, len(first))


def ends(name: str, width: int) -> str:
    """A name that fits into so many characters, if need be without its middle: names often differ at their ends."""
    name = visible(name, CUT)
    head = width // 2
    return name if len(name) <= width else f"{name[:head]}…{name[head + 1 - width :]}"


def fit(words: str, width: int) -> str:
    """Words that fit into so many characters, if need be without their end."""
    words = visible(words, CUT)
    return words if len(words) <= width else f"{words[: width - 1].rstrip()}…"


def parted(words: str, width: int) -> tuple[str, str]:
    """Words that fit, and the rest of them: parted outside of brackets if that leaves half of the width in use."""
    if len(words) <= width:
        return words, ""
    depth, places = 0, [(0, 0)]
    for at, (character, following) in enumerate(pairwise(words[: width + 2])):
        depth = max(0, depth + (character in "([{") - (character in ")]}"))
        if character == " ":
            clean = 0 if depth or at < width // 2 else 1 if following in "([{" else 2
            places.append((clean, at))
    place = max(places)[1] or width
    return words[:place], words[place:].lstrip()


def _filled(first: str, text: str, indent: int) -> str:
    """What could be broken at a hyphen, or is longer than a line (a path, a command), is left whole."""
    lines = wrap(
        visible(text, LONGEST),
        WIDTH,
        initial_indent=first,
        subsequent_indent=" " * indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines) or first.rstrip()
