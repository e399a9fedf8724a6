"""What is wrong with the files, plans and scripts that markers name, found before anything runs.

Knows how to open a run's environment and where the markers stand; the words are those of the rooms that read the files.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import NamedTuple

import pytest

from squall.errors import Problem, UsageError
from squall.pytest_plugin.markers import place
from squall.pytest_plugin.notices import warn
from squall.pytest_plugin.places import shown_path
from squall.pytest_plugin.run import Run, open_environment
from squall.pytest_plugin.runs import size_of

INLINE = "faults"  # how the parser of plans calls Python data
ALIKE = (
    "{group}: all {count} runs are alike: nothing is injected; add @pytest.mark.faults({path}) for the faults that "
    "stand in its world file (@pytest.mark.faults([]) says that none is meant)"
)


class _Seen(NamedTuple):
    """What is wrong with a pair of files, and whether the world has faults of its own."""

    problems: tuple[Problem, ...]
    faulty: bool = False


_CHECKED = pytest.StashKey[dict[tuple[Path | None, Path | int, int, Path | None], _Seen]]()
_TOLD = pytest.StashKey[set[str]]()


def check(run: Run) -> tuple[Problem, ...]:
    """The problems in a run's world and plan."""
    return _seen(run).problems


def report_idle(run: Run) -> Problem | None:
    """Tell, once per group, of runs without the faults of their world file; a problem if warnings are errors."""
    world, item = run.asked.world, run.item
    count = 1 if run.index is None else size_of(item)
    told = item.config.stash.setdefault(_TOLD, set())
    if world is None or run.asked.faults is not None or count == 1 or run.group in told or not _seen(run).faulty:
        return None
    told.add(run.group)
    at, path = place(item, "world"), Path(os.path.relpath(world, item.path.parent)).as_posix()
    message = warn(item.config, ALIKE.format(group=run.group, count=count, path=json.dumps(path)), at)
    return Problem(message, at) if message else None


def _seen(run: Run) -> _Seen:
    """Each pair is looked at once per session."""
    asked = run.asked
    if asked.world is None and asked.faults is None and asked.model is None:
        return _Seen(())
    known = run.item.config.stash.setdefault(_CHECKED, {})
    plan = asked.faults if isinstance(asked.faults, Path) else id(asked.faults)
    key = (asked.world, plan, id(asked.limits), asked.model)
    if key not in known:
        known[key] = _look(run)
    return known[key]


def _look(run: Run) -> _Seen:
    try:
        opened = open_environment(run, "virtual")
        if run.asked.model is not None:
            from squall.models import load_brain  # sessions without a script need no brains

            load_brain(run.asked.model)
    except UsageError as error:
        return _Seen(tuple(_placed(problem, run.item) for problem in error.problems))
    return _Seen((), run.asked.world is not None and bool(opened.world.spec.faults))


def _placed(problem: Problem, item: pytest.Function) -> Problem:
    """Files as the user would type them; what stands in the test itself is pointed at by its mark."""
    if problem.at is None:
        named = next((name for name in ("faults", "world") if item.get_closest_marker(name)), "model")
        return problem._replace(at=place(item, named))
    if problem.at.line is None:
        within = "" if problem.at.file == INLINE else f"{problem.at.file}: "
        return problem._replace(at=place(item, "faults"), message=within + problem.message)
    return problem._replace(at=problem.at._replace(file=shown_path(Path(problem.at.file), item.config)))
