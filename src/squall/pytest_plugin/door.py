"""What the entry point calls: waking the plug-in, and admitting tests to it.

Knows which tests concern squall and what is wrong with them before they run; what a run does is not known here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import pytest

from _squall_pytest import FIXTURES, REPEATED
from squall.errors import Problem
from squall.pytest_plugin import fixtures, gate, groups, markers, phases
from squall.pytest_plugin.explored import is_explored
from squall.pytest_plugin.files import check, report_idle
from squall.pytest_plugin.hopeless import report_hopeless
from squall.pytest_plugin.run import EACH, Run, run_of
from squall.pytest_plugin.runs import KEY, index_of
from squall.pytest_plugin.runs import repeat as repeat_test

AWAKE = "squall-awake"
FIRST_WORKER = "gw0"
UNITTEST = "TestCaseFunction"  # pytest has no public name for it
PROBLEMS = "squall_problems"  # in xdist's worker output


def wake(config: pytest.Config) -> None:
    """Register the hooks, once per session; without xdist's workers both sides of a gate live in this process."""
    manager = config.pluginmanager
    if manager.has_plugin(AWAKE):
        return
    manager.register(Workers(), AWAKE)
    manager.register(phases, "squall-phases")
    manager.register(fixtures, "squall-fixtures")
    if not hasattr(config, "workerinput"):
        manager.register(groups.Groups(config), "squall-groups")
    manager.register(gate.Gate(), "squall-gate")  # last, so that it sees reports first


def repeat(metafunc: pytest.Metafunc) -> None:
    """Make an item of every run of a test."""
    repeat_test(metafunc, lambda marks: _count(metafunc.definition, marks))


def _count(test: pytest.Function, marks: Sequence[pytest.Mark]) -> int:
    """How many runs the case of a test has that carries these marks besides; 0 if it is not to be repeated."""
    own = test.own_markers
    own.extend(marks)  # as pytest will do for the case's item
    try:
        asked, names = markers.read(test), {mark.name for mark in test.iter_markers()}
    finally:
        del own[len(own) - len(marks) :]
    if REPEATED.isdisjoint(names) or is_explored(test):
        return 0
    return test.config.option.runs or asked.runs or int(not names.isdisjoint({"runs", "min_pass_rate"}))


def admit(config: pytest.Config, items: Sequence[pytest.Function], strange: Iterable[Problem] = ()) -> None:
    """Give each item its run, if it has one, and look through all of them before anything runs.

    `strange` are the problems that were found already.
    """
    problems = dict.fromkeys(strange)
    for item in items:
        if run := admitted(item):
            problems.update(dict.fromkeys(problems_of(run)))
    if problems:
        messages = [str(problem) for problem in problems]
        if len(problems) > 1:
            messages.append(f"{len(problems)} problems, so nothing was run")
        if hasattr(config, "workeroutput"):
            config.workeroutput[PROBLEMS] = messages
        raise pytest.UsageError(*messages)


def admitted(item: pytest.Function) -> Run | None:
    """The item's run; None if squall has nothing to do with it."""
    asked = markers.read(item)
    if is_explored(item):
        asked = asked.once()
    index = index_of(item)
    asks = [name for name in FIXTURES if name in item.fixturenames and fixtures.ours(item, name)]
    if index is None and not asks and asked == markers.Asked() and not asked.problems:
        return None
    run = item.stash[KEY] = Run(item, asked, index)
    run.wanted = asked.environment or any(name in {"clock", "trace"} for name in asks)
    fixtures.insert(item)
    return run


def problems_of(run: Run) -> Iterator[Problem]:
    """What is wrong with one test, beyond what its body will show."""
    item, asked = run.item, run.asked
    yield from asked.problems or check(run)
    if run.index is None and (asked.runs or asked.rate is not None):
        name = "runs" if asked.runs else "min_pass_rate"
        if type(item).__name__ == UNITTEST:
            what, hint = "is a unittest.TestCase, which pytest cannot repeat", "Write it as a plain function or class"
            yield Problem(f"{item.nodeid} {what}", markers.place(item, name), hint=f"{hint} to use mark.{name}")
        elif asked.runs:
            what = "got mark.runs when tests were being repeated already"
            yield Problem(f"{item.nodeid} {what}", hint="Write the marker in the test's file, or use --runs")
    if getattr(item.config, "workerinput", {}).get("workerid", FIRST_WORKER) == FIRST_WORKER:
        yield from filter(None, (fixtures.report_shadowed(item), report_idle(run), report_hopeless(run)))


def provide(name: str, request: pytest.FixtureRequest) -> object:
    """The value of one of squall's fixtures."""
    item = request.node
    wake(item.config)  # asked for by name while the test runs: nothing concerned squall before
    run = run_of(item)
    if run is None:
        run = item.stash[KEY] = Run(item, markers.read(item), None)
    return fixtures.provide(name, request, run)


class Workers:
    """Speaks with xdist's workers, in the controller."""

    @pytest.hookimpl(optionalhook=True)
    def pytest_configure_node(self, node: Any) -> None:
        """Tell a worker whether others do the same runs: it cannot know otherwise."""
        if node.config.option.dist == "each":
            node.workerinput[EACH] = True

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        """What a worker found wrong ends the whole session."""
        if messages := getattr(node, "workeroutput", {}).get(PROBLEMS):
            raise pytest.UsageError(*messages)
