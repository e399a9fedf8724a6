"""What the entry point calls: the checks wake, what tests say to them is looked through, and problems are told.

Knows when something begins; what is done to tests is in `watching`, what comes of it in `merge`.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from squall.errors import Problem, UsageError
from squall.pytest_plugin.checking.merge import WATCHING, Merge

MERGE = "squall-checks-merge"
FIRST_WORKER = "gw0"  # of xdist's, which all look through the same tests


def wake(config: pytest.Config) -> None:
    """Begin to watch the tests of this process, once per session; a test that runs already is watched from here on."""
    if config.stash.get(_WOKEN, False):  # also by what this imports itself
        return
    config.stash[_WOKEN] = True
    from squall.pytest_plugin.checking.watching import Watching  # with captures and checks: not before they are needed

    watching = Watching(config)
    config.pluginmanager.register(watching, WATCHING)
    config.add_cleanup(watching.close)
    collect(config)
    watching.begin()


_WOKEN = pytest.StashKey[bool]()


def wake_at_configure(config: pytest.Config) -> None:
    """The same where something is said to checks. Raises pytest's UsageError with everything that is wrong in it."""
    wake(config)
    if problems := look_through(config, ()):
        raise pytest.UsageError(*map(str, problems))


def collect(config: pytest.Config) -> None:
    """Put together what is reported, by xdist's workers too. A worker itself only reports."""
    if hasattr(config, "workerinput") or config.pluginmanager.has_plugin(MERGE):
        return
    config.pluginmanager.register(Merge(config), MERGE)


def look_through(config: pytest.Config, marked: Iterable[pytest.Item]) -> list[Problem]:
    """What is wrong with what the session and its marked tests say to checks; each is told once."""
    marked = list(marked)
    if marked:
        wake(config)
    watching = config.pluginmanager.get_plugin(WATCHING)
    if watching is None:
        return []
    problems = dict.fromkeys(watching.said.problems)
    watching.said.problems.clear()  # they are told now
    if not problems:
        for item in marked:
            try:
                watching.admit(item)
            except UsageError as error:
                problems.update(dict.fromkeys(error.problems))
        if getattr(config, "workerinput", {}).get("workerid", FIRST_WORKER) == FIRST_WORKER:
            watching.tell_of_others()
    return list(problems)
