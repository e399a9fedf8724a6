"""What a test's marker and the session's options ask of an exploration, checked value by value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import pytest

from _squall_pytest import ANY_DEPTH
from squall.errors import Problem, UsageError, nearest, shown
from squall.pytest_plugin.explored import ELSEWHERE, MARKER
from squall.pytest_plugin.markers import place
from squall.runs.exploring.search import Options, check

EXAMPLE = '@pytest.mark.explore(depth=2, kinds=["timeout"], targets=["payments.*"], budget=500)'
REPEATING = ("runs", "min_pass_rate")


class Asked(NamedTuple):
    """How a test is to be explored. `marked`: by its own marker, so that it must be possible.

    `unsaid`: it says nothing of squall, so that only a run can tell whether there is anything to explore.
    """

    options: Options = Options()
    marked: bool = False
    unsaid: bool = False


ASKED: pytest.StashKey[Asked] = pytest.StashKey()


def depth_of(config: pytest.Config) -> int | None:
    """The depth that the user gave. Raises UsageError for what is none."""
    said: str | None = config.option.squall_explore
    if said is None or said == ANY_DEPTH:
        return None
    if not said.isascii() or not said.isdigit() or int(said) < 1:
        problem = f"--squall-explore={said}: a depth is the number of faults that a run may have, from 1 on"
        raise UsageError(Problem(problem))
    return int(said)


def read(item: pytest.Function) -> tuple[Asked, list[Problem]]:
    """What is asked for, and what is wrong with it."""
    mark = item.get_closest_marker(MARKER)
    depth = depth_of(item.config)
    if mark is None:
        return Asked(Options(depth=depth or 1)), []
    at = place(item, MARKER)
    values, wrong = _values(mark)
    problems = [problem._replace(at=at) for problem in wrong]
    if depth is not None:
        values["depth"] = depth
    options = Options(**values)
    try:
        check(options)
    except UsageError as error:
        problems += [problem._replace(at=at) for problem in error.problems]
    problems += [problem._replace(at=at) for problem in _at_odds(item)]
    return Asked(options, marked=True), problems


def _values(mark: pytest.Mark) -> tuple[dict[str, Any], list[Problem]]:
    given, problems = dict(mark.kwargs), list[Problem]()
    if len(mark.args) == 1 and "depth" not in given:
        given["depth"] = mark.args[0]
    elif mark.args:
        problems.append(Problem("mark.explore takes one value without a name, its depth", hint=f"Write {EXAMPLE}"))
    values: dict[str, Any] = {}
    for name, value in given.items():
        if name not in _CHECKS:
            hint = f"It takes {', '.join(_CHECKS)}."
            problems.append(Problem(f"mark.explore has no argument {name!r}", None, nearest(name, _CHECKS), hint))
            continue
        into, fits, what = _CHECKS[name]
        if fits(value):
            values[into] = tuple(value) if into in {"kinds", "targets"} else value
        else:
            problems.append(Problem(f"mark.explore: {name} is {what}, not {shown(value)}", hint=f"Write {EXAMPLE}"))
    return values, problems


def _at_odds(item: pytest.Function) -> list[Problem]:
    """What the test asks for besides, and cannot be had with it."""
    problems = []
    for name in REPEATING:
        if item.get_closest_marker(name):
            hint = f"Remove one of the two markers; for one session, --squall-explore explores a test with mark.{name}."
            problems.append(
                Problem(f"{item.nodeid} has mark.explore and mark.{name}: it is one or the other", hint=hint)
            )
    if ELSEWHERE in item.fixturenames:
        what = f"{item.nodeid} asks for {ELSEWHERE}, whose server is a process of its own: no schedule reaches it"
        problems.append(Problem(what, hint="Use mcp_server or mcp_url to explore it."))
    return problems


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 1


def _is_seconds(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value > 0


def _are_names(value: object) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(isinstance(each, str) for each in value)


_CHECKS: Mapping[str, tuple[str, Callable[[object], bool], str]] = {
    "depth": ("depth", _is_count, "how many faults a run may have, from 1 on"),
    "kinds": ("kinds", _are_names, "a list of kinds of faults"),
    "targets": ("targets", _are_names, "a list of targets"),
    "budget": ("runs", _is_count, "the number of runs that it may take"),
    "seconds": ("seconds", _is_seconds, "the number of seconds that it may take"),
    "tokens": ("tokens", _is_count, "the number of tokens that its models may read and write"),
    "crashes": ("crashes", lambda value: isinstance(value, bool), "True or False"),
}
"""By argument: the option that it is, what fits it, and what it is in words."""
