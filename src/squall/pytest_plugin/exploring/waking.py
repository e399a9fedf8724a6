"""What the entry point calls: exploring begins, its tests are looked through, a kept failure's test is picked.

Knows which items are explored, not how.
"""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from squall.errors import Problem, UsageError
from squall.pytest_plugin.explored import is_explored, may_be
from squall.pytest_plugin.exploring import asking
from squall.pytest_plugin.exploring.record import collect
from squall.pytest_plugin.exploring.replaying import REPLAY, Replay

EXPLORER = "squall-explorer"


def begin(config: pytest.Config) -> None:
    """What the options say is looked at before anything is collected. Raises pytest's UsageError."""
    try:
        asking.depth_of(config)
        if config.option.squall_replay:
            config.stash[REPLAY] = Replay.of(config)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
    collect(config)


def select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave the test of the kept failure alone in `items`. Raises pytest's UsageError where there is none."""
    replay = config.stash[REPLAY]
    try:
        picked = replay.pick(items)
    except UsageError as error:
        raise pytest.UsageError(str(error)) from None
    if others := [item for item in items if item is not picked]:
        config.hook.pytest_deselected(items=others)
        items[:] = [picked]


def admit(
    config: pytest.Config, items: Iterable[pytest.Function], tests: Iterable[pytest.Function] = ()
) -> list[Problem]:
    """Note of each test how it is to be explored, and say what is wrong with that.

    `items` are those that say something to squall, `tests` all that there are.
    """
    problems: list[Problem] = []
    explored = [item for item in items if is_explored(item)]
    for item in explored:
        item.stash[asking.ASKED], wrong = asking.read(item)
        problems += wrong
    if config.option.squall_mutate_world and not explored:
        hint = "It alters the worlds of tests that use squall's fixtures."
        problems.append(Problem("--squall-mutate-world: there is no test whose world could be altered", hint=hint))
    unsaid = [test for test in tests if may_be(test)]
    for test in unsaid:
        test.stash[asking.ASKED] = asking.Asked(asking.read(test)[0].options, unsaid=True)
    collect(config)
    if (explored or unsaid) and not config.pluginmanager.has_plugin(EXPLORER):
        from squall.pytest_plugin.exploring.explorer import Explorer  # with all that explores, on first use

        config.pluginmanager.register(Explorer(config), EXPLORER)
    return problems
