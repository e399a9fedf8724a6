"""Which checks are meant where somebody names those to run: text with commas, or a list.

`default` stands for those that are not off by default, `all` for all, and `name=warn` says what the firing of one
means. Knows no source of settings.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from squall.checks.registry import ALIASES, checks, named
from squall.checks.verdict import MODES, Mode
from squall.errors import Problem, UsageError, nearest, shown

EVERY = "all"
USUAL = "default"


class Chosen(NamedTuple):
    """`only` are those to run, `named` those among them that are called by their own names; `modes` is said of some."""

    only: tuple[str, ...]
    named: tuple[str, ...]
    modes: dict[str, Mode]


def chosen(value: Any) -> Chosen:
    """What `checks=…` means. Raises UsageError with everything that is wrong in it."""
    only: list[str] = []
    by_name: list[str] = []
    modes: dict[str, Mode] = {}
    problems: list[Problem] = []
    for each in listed("checks", value):
        name, equals, mode = (part.strip() for part in each.partition("="))
        if name in {USUAL, EVERY} and not equals:
            only += (check.name for check in checks() if name == EVERY or check.default != "off")
            continue
        try:
            by_name += named([name])
            if equals:
                modes[by_name[-1]] = one_of(f"the mode of {name}", mode, MODES)
        except UsageError as error:
            problems += error.problems
        else:
            only.append(by_name[-1])
    if problems:
        raise UsageError(list(dict.fromkeys(problems)))
    if not only:
        hint = "Name some, or take it out. With the mode off none is run."
        raise UsageError(Problem(f"checks names no check: {shown(value)}", hint=hint))
    return Chosen(tuple(dict.fromkeys(only)), tuple(dict.fromkeys(by_name)), modes)


def listed(key: str, value: Any) -> list[str]:
    """Names, in a list or with commas between them. Raises UsageError for anything else."""
    parts = value.split(",") if isinstance(value, str) else value
    if not isinstance(parts, list | tuple) or not all(isinstance(each, str) for each in parts):
        known = [*(check.name for check in checks()), *ALIASES]
        hint = f'Write "{known[0]}, {known[1]}" or ["{known[0]}", "{known[1]}"].'
        raise UsageError(Problem(f"{key} is names of checks, in a list or with commas, not {shown(value)}", hint=hint))
    return [part for each in parts if (part := each.strip())]


def one_of(key: str, value: Any, valid: Sequence[str]) -> Any:
    """The value, where it is one of those. Raises UsageError."""
    if not isinstance(value, str) or value not in valid:
        hint = f"Valid values: {', '.join(valid)}."
        raise UsageError(Problem(f"{key} cannot be {shown(value)}", nearest=nearest(value, valid), hint=hint))
    return value
