"""What the entry point calls: waking the plug-in, and admitting tests to it.

Knows which module to ask; decides nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from squall.errors import Problem, UsageError
from squall.pytest_plugin import fixtures, gate, groups, markers, phases
from squall.pytest_plugin.files import check
from squall.pytest_plugin.run import KEY, Run, run_of
from squall.pytest_plugin.runs import index_of
from squall.pytest_plugin.runs import repeat as repeat_test

AWAKE = "squall-awake"
FIRST_WORKER = "gw0"
PROBLEMS = "squall_problems"  # in xdist's worker output


def wake(config: pytest.Config) -> None:
    """Register the hooks, once per session; without xdist's workers both sides of a gate live in this process."""
    manager = config.pluginmanager
    if manager.has_plugin(AWAKE):
        return
    manager.register(Door(config), AWAKE)
    manager.register(phases, "squall-phases")
    manager.register(fixtures, "squall-fixtures")
    if not hasattr(config, "workerinput"):
        manager.register(groups.Groups(config), "squall-groups")
    manager.register(gate.Gate(), "squall-gate")  # last, so that it sees reports first


def repeat(metafunc: pytest.Metafunc) -> None:
    """Make an item of every run of a test."""
    asked = markers.read(metafunc.definition)
    names = {mark.name for mark in metafunc.definition.iter_markers()}
    count = metafunc.config.option.runs or asked.runs
    if count or names & {"runs", "min_pass_rate"}:
        repeat_test(metafunc, count or 1)


def admit(item: pytest.Function) -> None:
    """Give an item its run, if squall has anything to do with it."""
    asked = markers.read(item)
    index = index_of(item)
    asks = [name for name in fixtures.FIXTURES if name in item.fixturenames and fixtures.ours(item, name)]
    if index is None and not asks and asked == markers.Asked() and not asked.problems:
        return
    run = item.stash[KEY] = Run(item, asked, index)
    run.wanted = asked.environment or any(name in {"clock", "trace"} for name in asks)
    fixtures.insert(item)


def provide(name: str, request: pytest.FixtureRequest) -> object:
    """The value of one of squall's fixtures."""
    item = request.node
    wake(item.config)  # asked for by name while the test runs: nothing concerned squall before
    run = run_of(item)
    if run is None:
        run = item.stash[KEY] = Run(item, markers.read(item), None)
    return fixtures.provide(name, request, run)


class Door:
    """Looks through everything that was collected before anything runs."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config

    @pytest.hookimpl(tryfirst=True)  # before xdist's worker announces what it collected
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Bad markers and files: all of them at once, as a usage error."""
        problems: dict[Problem, None] = {}
        for item in session.items:
            if isinstance(item, pytest.Function) and (run := run_of(item)):
                problems.update(dict.fromkeys(self.problems_of(run)))
        if problems:
            message = str(UsageError(problems))
            if hasattr(self.config, "workeroutput"):
                self.config.workeroutput[PROBLEMS] = message
            raise pytest.UsageError(message)

    def problems_of(self, run: Run) -> Iterator[Problem]:
        """What is wrong with one test, beyond what its body will show."""
        yield from run.asked.problems or check(run)
        if type(run.item).__name__ == "TestCaseFunction" and (run.asked.runs or run.asked.rate is not None):
            yield Problem(
                f"{run.item.nodeid} is a unittest.TestCase, which pytest cannot repeat",
                markers.place(run.item, "runs" if run.asked.runs else "min_pass_rate"),
                hint="Write it as a plain function or class to use runs and min_pass_rate",
            )
        if getattr(self.config, "workerinput", {}).get("workerid", FIRST_WORKER) == FIRST_WORKER:
            shadowed = fixtures.report_shadowed(run.item)
            yield from (shadowed,) if shadowed else ()

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        """What a worker found wrong ends the whole session."""
        if message := getattr(node, "workeroutput", {}).get(PROBLEMS):
            raise pytest.UsageError(message)
