"""What users see when something is wrong, and how it is worded.

Every message says what is wrong, where (file, line, column), the value, the nearest valid name and the next action.
Knows nothing of files, worlds or faults: whoever finds a problem describes it with `Problem`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

PUBLIC = "squall"
"""Where those who test find an error of the package's face: tracebacks call it `squall.UsageError`."""
MAX_SHOWN = 80
LONGEST_WORD = 200
"""Longer ones are no misspelt names, and comparing them takes its time."""
ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+(?=>)")
TEENS = range(11, 14)
AGENTS_ERRORS = ("ToolError", "JSONDecodeError")  # by name: rooms above, and a module that is not loaded for this


class Position(NamedTuple):
    """Where something stands. `line` and `column` count from 1; `file` is shown as the user named it."""

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        parts = [self.file, *(str(n) for n in (self.line, self.column) if n is not None)]
        return ":".join(parts)


class Problem(NamedTuple):
    """One thing that is wrong.

    `message` is a sentence without its full stop that already quotes the value (see `shown`); `nearest` is a valid
    name close to what was written; `hint` is what to do.
    """

    message: str
    at: Position | None = None
    nearest: str | None = None
    hint: str | None = None

    def __str__(self) -> str:
        text = f"{self.at}: {self.message}" if self.at else self.message
        if self.nearest is not None:
            text += f"; did you mean {self.nearest!r}?"
        if self.hint:
            text += f"\n    {self.hint}"
        return text


class SquallError(Exception):
    """Base of the errors that squall raises at the person who tests (never at the agent)."""

    __module__ = PUBLIC


class UsageError(SquallError):
    """Bad input: one or several problems, all of them listed. Exit status 2 (4 in pytest)."""

    __module__ = PUBLIC

    def __init__(self, problems: Problem | str | Iterable[Problem]) -> None:
        if isinstance(problems, str):
            problems = Problem(problems)
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(map(str, self.problems)))


class LimitReached(BaseException):
    """A run used up its virtual time or its calls.

    Not an `Exception`, so that an agent's `except Exception: retry` cannot swallow it.
    """

    __module__ = PUBLIC


def is_weather(found: Any) -> bool:
    """For pytest's `__tracebackhide__`: hide our frames where the cause is the test's own line, or the agent's.

    That is so for what squall raises at the person who tests, too; our own bugs are shown. `found` is pytest's
    `ExceptionInfo`.
    """
    error = found.value
    if isinstance(error, AttributeError):
        return error.name is not None and error.obj is None  # Python's own say whose attribute it was
    expected = isinstance(error, SquallError | LimitReached | TimeoutError | ConnectionError)
    return expected or type(error).__name__ in AGENTS_ERRORS


def no_attribute(message: str, name: str) -> AttributeError:
    """What to raise where there is no attribute `name`, and `message` says all about it: Python adds no advice."""
    return AttributeError(message, name=name, obj=None)


def shown(value: Any, limit: int = MAX_SHOWN) -> str:
    """`repr(value)`, cut in the middle to `limit` characters, safe for any value, the same in every process."""
    try:
        text = ADDRESS.sub("", repr(_ordered(value)))
    except Exception as error:  # noqa: BLE001 - a value whose repr fails must not hide the message it stands in
        text = f"<{type(value).__name__}, repr failed: {type(error).__name__}>"
    if len(text) <= limit:
        return text
    head = limit * 2 // 3
    return f"{text[:head]} … {text[-(limit - head - 3) :]}"


def said(error: BaseException) -> str:
    """`str(error)`, also of an exception whose own words fail."""
    try:
        return str(error)
    except Exception as failure:  # noqa: BLE001 - as above
        return f"<its text cannot be had: {type(failure).__name__}>"


def _ordered(value: Any) -> Any:
    """A set's own order differs from process to process."""
    if isinstance(value, set | frozenset):
        return _Text("{" + ", ".join(sorted(map(repr, value))) + "}" if value else repr(value))
    return value


class _Text(str):
    """Text that is its own repr."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def nearest(word: object, words: Iterable[object]) -> str | None:
    """The one of `words` that `word` was probably meant to be, or None."""
    import difflib  # 7 ms, and only needed when something is wrong

    if len(str(word)) > LONGEST_WORD:
        return None
    choices = {str(w).lower(): str(w) for w in words}
    found = difflib.get_close_matches(str(word).lower(), choices, n=1, cutoff=0.6)
    return choices[found[0]] if found else None


def suggestion(word: object, words: Iterable[object], otherwise: str = "") -> str:
    """A question with the one of `words` that `word` was probably meant to be; `otherwise` if there is none."""
    found = nearest(word, words)
    return otherwise if found is None or found == word else f"did you mean {found!r}?"


def counted(count: int, noun: str, nouns: str | None = None) -> str:
    """`1 run`, `2 runs`, `1,200 runs`."""
    return f"{count:,} {noun if count == 1 else nouns or noun + 's'}"


def ordinal(number: int) -> str:
    """`3rd`."""
    ending = "th" if number % 100 in TEENS else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def joined(parts: Iterable[str]) -> str:
    """Several problems in one line, also where one ends with a question."""
    text = ""
    for part in parts:
        text += (" And " if text.endswith("?") else "; ") + part if text else part
    return text
