"""What checks are told: by the markers of a test, options, the environment and `pyproject.toml`, in that order.

Knows where each of them is found in a session of pytest; what they mean is known in `squall.checks.sources`.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import pytest

from _squall_pytest import CHECKS
from squall.checks.chosen import EVERY
from squall.checks.chosen import USUAL as BY_DEFAULT
from squall.checks.registry import ALIASES, names
from squall.checks.settings import USUAL, Settings
from squall.checks.sources import (
    OF_MARKERS,
    REPORTS,
    Source,
    from_environment,
    from_marker,
    from_options,
    from_pyproject,
    settings,
)
from squall.errors import Position, Problem, UsageError, nearest, shown
from squall.pytest_plugin.places import place_of

MARKER = "checks"
EXAMPLE = '@pytest.mark.checks(checks="search_loop, policy"), for example'


class Said:
    """The settings of a session, and of each test that has markers. `problems` are what is wrong with the former.

    `others` are markers of that name that seem to be the suite's own, by their places: they say nothing to us, and the
    suite has not declared them.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._root = config.rootpath
        self._is_theirs = _declares(config)
        self.others: dict[Position, str] = {}
        self._sources: list[Source] = []
        self.problems: list[Problem] = []
        here, option = config.invocation_params.dir, config.option
        given = {
            "mode": option.squall,
            "checks": option.squall_checks,
            "policy": option.squall_policy,
            "redact": option.squall_redact,
            "json": option.squall_json,
            "markdown": option.squall_markdown,
            "export_otlp": option.squall_export_otlp,
        }
        self._sources = [from_options(given, base=here), from_environment(os.environ, base=here)]
        self.usual = USUAL
        try:
            self._sources.append(from_pyproject(self._root))
            self.usual = settings(self._sources, root=self._root)
        except UsageError as error:
            self.problems += error.problems
        asked = {name: here / path for name in REPORTS if (path := given[name])}
        for name, path in {**self.usual.reports, **asked}.items():
            if path.is_dir():
                hint = "Name a file; its folder is made if it does not exist."
                self.problems.append(
                    Problem(f"the report {name} cannot be written to {path}: it is a folder", hint=hint)
                )

    def of(self, item: pytest.Item) -> Settings:
        """What holds for one test. Raises UsageError with everything that is wrong in its markers."""
        known = item.stash.get(_SETTINGS, None)
        if known is None:
            known = item.stash[_SETTINGS] = self._of(item)
        return known

    def _of(self, item: pytest.Item) -> Settings:
        marks = []
        for node, mark in item.iter_markers_with_node(MARKER):
            at = place_of(node, MARKER)  # type: ignore[arg-type]  # an item, or a collector
            if mark.args and self._is_theirs:
                continue
            if _is_ours(mark):
                marks.append((mark, at))
            elif not self._is_theirs:
                self.others[at] = _shown(mark)
        problems = [
            Problem(f"the marker checks takes names, not {mark.args[0]!r}", at, hint=f"Write {EXAMPLE}.")
            for mark, at in marks
            if mark.args
        ]
        if problems:
            raise UsageError(problems)
        if not marks:
            return self.usual
        base = item.path.parent
        nearer = [from_marker(mark.kwargs, base=base, at=at) for mark, at in marks]
        return settings([*nearer, *self._sources], root=self._root)


def _is_ours(mark: pytest.Mark) -> bool:
    """Whether a marker of that name means squall's: by what it says, or nearly says. Else it is the suite's own."""
    known = [*names(), *ALIASES, EVERY, BY_DEFAULT]
    said = [part.partition("=")[0].strip() for each in mark.args if isinstance(each, str) for part in each.split(",")]
    if not mark.args and not mark.kwargs:
        return True
    return any(_means(name, known) for name in said) or any(_means(key, OF_MARKERS) for key in mark.kwargs)


def _shown(mark: pytest.Mark) -> str:
    said = [*map(shown, mark.args), *(f"{key}={shown(value)}" for key, value in mark.kwargs.items())]
    return f"{MARKER}({', '.join(said)})"


def _means(name: str, known: Sequence[str]) -> bool:
    return name in known or nearest(name, known) is not None


def _declares(config: pytest.Config) -> bool:
    """Whether the suite has a marker of that name itself: its line stands beside ours."""
    lines: list[str] = config.getini("markers")
    return any(line.partition(":")[0].partition("(")[0].strip() == MARKER for line in lines if line != CHECKS)


_SETTINGS = pytest.StashKey[Settings]()
