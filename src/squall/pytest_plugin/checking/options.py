"""What checks are told: by the markers of a test, options, the environment and `pyproject.toml`, in that order.

Knows where each of them is found in a session of pytest; what they mean is known in `squall.checks.sources`.
"""

from __future__ import annotations

import os

import pytest

from squall.checks.settings import USUAL, Settings
from squall.checks.sources import REPORTS, Source, from_environment, from_marker, from_options, from_pyproject, settings
from squall.errors import Problem, UsageError
from squall.pytest_plugin.places import place_of

MARKER = "checks"
EXAMPLE = '@pytest.mark.checks(checks="search_loop, policy"), for example'


class Said:
    """The settings of a session, and of each test that has markers. `problems` are what is wrong with the former."""

    def __init__(self, config: pytest.Config) -> None:
        self._root = config.rootpath
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
        marks = list(item.iter_markers_with_node(MARKER))
        if not marks:
            return self.usual
        places = [place_of(node, MARKER) for node, _ in marks]  # type: ignore[arg-type]  # an item, or a collector
        problems = [
            Problem(f"the marker checks takes names, not {mark.args[0]!r}", at, hint=f"Write {EXAMPLE}.")
            for (_, mark), at in zip(marks, places, strict=True)
            if mark.args
        ]
        if problems:
            raise UsageError(problems)
        base = item.path.parent
        nearer = [from_marker(mark.kwargs, base=base, at=at) for (_, mark), at in zip(marks, places, strict=True)]
        return settings([*nearer, *self._sources], root=self._root)


_SETTINGS = pytest.StashKey[Settings]()
