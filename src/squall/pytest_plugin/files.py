"""What is wrong with the files and plans that markers name, found before anything runs.

Knows how to open a run's environment and where the markers stand; the words are those of the rooms that read the files.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from squall.errors import Problem, UsageError
from squall.pytest_plugin.markers import place
from squall.pytest_plugin.places import shown_path
from squall.pytest_plugin.run import Run, open_environment

INLINE = "faults"  # how the parser of plans calls Python data
_CHECKED = pytest.StashKey[dict[tuple[Path | None, Path | int, int], tuple[Problem, ...]]]()


def check(run: Run) -> tuple[Problem, ...]:
    """The problems in a run's world and plan; each pair is looked at once per session."""
    asked = run.asked
    if asked.world is None and asked.faults is None:
        return ()
    known = run.item.config.stash.setdefault(_CHECKED, {})
    plan = asked.faults if isinstance(asked.faults, Path) else id(asked.faults)
    key = (asked.world, plan, id(asked.limits))
    if key not in known:
        known[key] = _problems(run)
    return known[key]


def _problems(run: Run) -> tuple[Problem, ...]:
    try:
        open_environment(run, "virtual")
    except UsageError as error:
        return tuple(_placed(problem, run.item) for problem in error.problems)
    return ()


def _placed(problem: Problem, item: pytest.Function) -> Problem:
    """Files as the user would type them; what stands in the test itself is pointed at by its mark."""
    if problem.at is None:
        return problem._replace(at=place(item, "faults" if item.get_closest_marker("faults") else "world"))
    if problem.at.line is None:
        within = "" if problem.at.file == INLINE else f"{problem.at.file}: "
        return problem._replace(at=place(item, "faults"), message=within + problem.message)
    return problem._replace(at=problem.at._replace(file=shown_path(Path(problem.at.file), item.config)))
