"""Which checks there are: our own in order, then those of plug-ins by the entry point group `squall.checks`.

A plug-in's entry point names an object, or a class without arguments, that is a `Check`. Its name is taken once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from squall.checks.check import Check
from squall.checks.kinds import BUILT_IN
from squall.checks.verdict import MODES
from squall.errors import Problem, UsageError, joined, nearest, shown

GROUP = "squall.checks"
ALIASES: Mapping[str, str] = {"repeated_call": "repeated_tool_call"}
"""Other names of checks."""


@cache
def checks() -> tuple[Check, ...]:
    """All checks in order. Raises `UsageError` with everything that is wrong with plug-ins."""
    return gathered(BUILT_IN, entry_points(group=GROUP))


def gathered(built_in: Iterable[Check], points: Iterable[EntryPoint]) -> tuple[Check, ...]:
    """Our own checks and those behind entry points."""
    found: list[Check] = list(built_in)
    owners = {check.name: "squall itself" for check in found} | dict.fromkeys(ALIASES, "squall itself")
    problems: list[Problem] = []
    for point in sorted(points, key=lambda each: (each.name, each.value)):
        where = f"the entry point {point.name!r} = {point.value!r} of {GROUP}"
        made = _loaded(point, where, problems)
        if made is None:
            continue
        wrong = list(_misfits(made))
        if wrong:
            problems.append(Problem(f"{where} is no check: {joined(wrong)}", hint=HINT))
        elif made.name in owners:
            what = f"{where} is a check named {made.name!r}, a name that {owners[made.name]} has taken"
            problems.append(Problem(what, hint="Give it another name, or uninstall one of the two."))
        else:
            owners[made.name] = where
            found.append(made)
    if problems:
        raise UsageError(problems)
    return tuple(found)


def names(found: Iterable[Check] | None = None) -> list[str]:
    """The names of all checks in order."""
    return [check.name for check in (checks() if found is None else found)]


def named(given: Iterable[str], where: str = "") -> tuple[str, ...]:
    """Names of checks as they are called here. Raises `UsageError` with all that are none; `where` is who says them."""
    known = names()
    problems = []
    chosen = []
    for name in given:
        proper = ALIASES.get(name, name)
        if proper in known:
            chosen.append(proper)
        else:
            near = nearest(name, [*known, *ALIASES])
            what = f"{where}: there is no check {name!r}" if where else f"there is no check {name!r}"
            problems.append(Problem(what, nearest=near, hint=f"There are {', '.join(known)}."))
    if problems:
        raise UsageError(problems)
    return tuple(chosen)


HINT = "A check has a name, a default (fail, warn or off) and run(trace, options) that returns a squall.checks.Verdict."


def _loaded(point: EntryPoint, where: str, problems: list[Problem]) -> Any:
    """What an entry point names; None, with a problem, where it cannot be had."""
    try:
        made = point.load()
        return made() if isinstance(made, type) else made
    except Exception as error:  # noqa: BLE001 - a plug-in's import may raise anything, and is told with the others
        what = f"{where} cannot be loaded: {type(error).__name__}: {error}"
        problems.append(Problem(what, hint="Mend or uninstall the package that it comes from."))
        return None


def _misfits(made: Any) -> Iterable[str]:
    name, default = getattr(made, "name", None), getattr(made, "default", None)
    if not isinstance(name, str) or not name.isidentifier() or name != name.lower():
        yield f"its name is {shown(name)}, and not a word of small letters and underscores"
    if default not in MODES:
        yield f"its default is {shown(default)}, and not fail, warn or off"
    if not callable(getattr(made, "run", None)):
        yield "it has no method run"
