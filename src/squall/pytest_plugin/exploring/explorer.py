"""The hooks: an item is explored, or a kept failure replayed, in place of being run once.

Knows when something happens; what is done with an item is in `course` and `replaying`.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from squall.capture import hooks
from squall.pytest_plugin.awaited import beside_others
from squall.pytest_plugin.exploring.asking import ASKED
from squall.pytest_plugin.exploring.course import explore
from squall.pytest_plugin.exploring.executor import Executor
from squall.pytest_plugin.exploring.once import Subtest
from squall.pytest_plugin.exploring.replaying import REPLAY, replay
from squall.pytest_plugin.gate import first_line

FUNCTION = "function"


class Explorer:
    """Explores the items of one process. What their SDKs ask is captured, also where checks are off."""

    def __init__(self, config: pytest.Config) -> None:
        self._executor: Executor | None = None  # of the item that is explored now
        if not hooks.installed():
            hooks.install()
            config.add_cleanup(hooks.uninstall)

    @pytest.hookimpl(tryfirst=True)  # before plug-ins that run an item again: it is run often enough
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Run an item under many schedules, and report it once."""
        asked = item.stash.get(ASKED, None)
        if asked is None or not isinstance(item, pytest.Function) or item.config.option.setuponly:
            return None
        hook = item.ihook
        hook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        kept = item.config.stash.get(REPLAY, None)
        self._executor = executor = Executor(item, asked.options.kinds, None if kept is None else kept.seed)
        try:
            reports = replay(executor, kept, nextitem) if kept else explore(executor, asked, nextitem)
        finally:
            self._executor = None
        for report in reports:
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(self, request: pytest.FixtureRequest) -> Generator[None, object, object]:
        """A run that a wider fixture begins serves many tests: the weather is not meant for it."""
        __tracebackhide__ = beside_others
        weather = None if self._executor is None else self._executor.weather
        if weather is None or request.scope == FUNCTION:
            return (yield)
        before = weather.taken, weather.passed_over
        weather.taken = True
        try:
            return (yield)
        finally:
            weather.taken, weather.passed_over = before

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None]:
        """A subtest counts for its run, not for itself."""
        if self._executor is not None and hasattr(report, "context"):
            if report.failed:
                self._executor.subtests.append(Subtest(first_line(report), report.longreprtext, _name(report.context)))
            report.when, report.outcome, report.longrepr, report.sections = "setup", "passed", None, []
        return (yield)


def _name(context: Any) -> str:
    """What a subtest is called: `paid, order=7`. Knows contexts of pytest's own subtests, and those of its plug-in."""
    message, given = getattr(context, "msg", None), getattr(context, "kwargs", None) or {}
    named = [] if message is None else [str(message)]
    return ", ".join([*named, *(f"{name}={each}" for name, each in given.items())])
