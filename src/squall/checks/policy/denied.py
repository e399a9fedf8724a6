r"""Denied texts in the arguments of a call: literal, whatever their case. No model's text can stall the search.

Texts are looked for in every key and every text of the arguments with JSON's escapes read (`\u002e./` hides nothing),
then in the arguments as they were written, which finds what stands across several of them: `"admin": true`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from squall.checks.policy.arguments import as_written, texts_in
from squall.checks.policy.limits import BUILT_IN, CLIMBING
from squall.checks.story import NOT_JSON

PATH = re.compile(r"[^\s\"'`<>|;:,(){}\[\]=]+")
"""What may be one path within a text."""
LONGEST = 64
"""Parts of the longest path that a user gives."""


class Found(NamedTuple):
    """A denied text, and the argument that holds it; empty where it stands across several."""

    denied: str
    path: str


class Denied:
    """Looks for denied texts. `denied` None means those built in; `said` are the texts of the run's users."""

    def __init__(self, denied: Iterable[str] | None, said: Iterable[str]) -> None:
        self._folded = [(each, each.casefold()) for each in (BUILT_IN if denied is None else denied)]
        self._given = None if denied is not None else {path for path in _paths(said) if len(path) <= LONGEST}
        self._above = {path[:length] for path in self._given or () for length in range(1, len(path) + 1)}

    def found(self, arguments: Any, raw: str | None) -> Found | None:
        """The first denied text in a call's arguments. `raw` is what the model wrote, where that is known."""
        known = arguments is not NOT_JSON
        forms = dict.fromkeys([raw or "", as_written(arguments)] if known else [raw or ""])
        if not self._may_hold(forms):
            return None
        seen: set[str] = set()
        for text in texts_in(arguments) if known else ():
            whole = text.text.casefold()
            for denied, folded in self._folded:
                if folded in whole:
                    if not self._is_given(denied, text.text):
                        return Found(denied, text.path)
                    seen.add(denied)
        for written in forms:
            whole = written.casefold()
            for denied, folded in self._folded:
                if denied in seen or (known and "\\" in denied):
                    continue  # each place of it is the user's own; or it is how JSON writes another text
                if folded in whole and not self._is_given(denied, written):
                    return Found(denied, "")
        return None

    def _may_hold(self, forms: Iterable[str]) -> bool:
        """Whether a closer look is needed: where JSON escapes nothing, its texts stand in it as they are."""
        whole = "\n".join(forms).casefold()
        return "\\" in whole or any(folded in whole for _, folded in self._folded)

    def _is_given(self, denied: str, text: str) -> bool:
        """Whether all paths that climb are a user's own."""
        if self._given is None or denied != CLIMBING:
            return False
        paths = set(_paths([text]))
        return bool(paths) and all(map(self._is_users, paths))

    def _is_users(self, path: tuple[str, ...]) -> bool:
        """Whether a path is one that was given, on the way to it, or below it without climbing again."""
        if path in self._above:
            return True
        climbs = max((n for n, part in enumerate(path) if part == ".."), default=-1) + 1
        return any(path[:length] in (self._given or ()) for length in range(climbs, min(len(path), LONGEST)))


def _paths(texts: Iterable[str]) -> Iterator[tuple[str, ...]]:
    """The paths in texts that climb, by their parts."""
    for text in texts:
        for found in PATH.finditer(text) if CLIMBING in text else ():
            if CLIMBING in found[0]:
                yield tuple(part for each in found[0].split("/") if (part := _plain(each)))


def _plain(part: str) -> str:
    """A part of a path without the marks that end its sentence; empty where it leads nowhere."""
    plain = part.rstrip(".!?")
    return plain or (".." if part.startswith("..") else "")
