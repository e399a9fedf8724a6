"""The hooks around each test: its run begins before its own fixtures do, and is judged when its body has ended.

What a fixture of a wider scope starts serves many tests: its calls belong to the test that goes on when they come.
Knows when something happens, and what a report must become; what is found is known in `judged`.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator
from contextlib import ExitStack, suppress
from typing import TypeVar

import msgspec
import pytest

from squall.capture import current, hooks
from squall.capture.run import AgentCheckFailed, Checked, Run
from squall.checks.settings import Settings
from squall.errors import Position
from squall.pytest_plugin.checking import expected, merge, sections
from squall.pytest_plugin.checking.judged import Record, Watch
from squall.pytest_plugin.checking.options import Said
from squall.pytest_plugin.door import PROBLEMS
from squall.pytest_plugin.notices import SquallWarning, warn
from squall.pytest_plugin.run import run_of

T = TypeVar("T")
EXCINFO = "_excinfo"  # where pytest keeps what unittest noted
FUNCTION = "function"


class Watching:
    """Watches the tests of one process."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.said = Said(config)
        self.present: Watch | None = None
        self._open = ExitStack()  # of the present test
        self._session = ExitStack()
        self._hooked = False
        self._pending: list[Record] = []
        if self.said.usual.mode != "off":
            self._hook()

    def _hook(self) -> None:
        if self._hooked:
            return
        self._hooked = True
        if not hooks.installed():
            hooks.install()
            self._session.callback(hooks.uninstall)
        self._session.callback(expected.watch())
        Run.begun.append(self._began_run)
        self._session.callback(Run.begun.remove, self._began_run)
        current.begun.append(self._began)
        self._session.callback(current.begun.remove, self._began)
        self._session.callback(setattr, Run, "usual", Run.usual)
        Run.usual = _for_runs(self.said.usual)

    def close(self) -> None:
        """The session is over."""
        self._open.close()
        self._session.close()

    def admit(self, item: pytest.Item) -> None:
        """Look through what a test's markers say. Raises UsageError."""
        if self.said.of(item).mode != "off":
            self._hook()

    def tell_of_others(self) -> None:
        """Say once that there are markers of our name that seem to be somebody else's."""
        if not self.said.others:
            return
        at, mark = next(iter(self.said.others.items()))
        more = len(self.said.others) - 1
        rest = f", and {more} more," if more else ""
        hint = "If it is the suite's own, declare it under `markers` in pytest's ini file"
        self._show(f"the marker {mark}{rest} says nothing to squall's checks, and is left alone. {hint}", at)
        self.said.others.clear()

    def begin(self) -> None:
        """The checks have been woken while a test runs: it imports its SDK itself."""
        session = self.config.pluginmanager.get_plugin("session")
        stack = getattr(getattr(session, "_setupstate", None), "stack", {})
        item = next(reversed(stack), None)
        if isinstance(item, pytest.Item):
            self._begin(item)
        if self.present is not None:
            self.present.body_ended = True  # when it has, the hook around it will not be ours

    def _began_run(self, run: Run) -> None:
        if self.present is not None:
            self.present.began_run(run)

    def _began(self, capture: current.Capture) -> None:
        if self.present is not None:
            self.present.began(capture)

    def _settings(self, item: pytest.Item) -> Settings:
        try:
            return self.said.of(item)
        except Exception:  # noqa: BLE001 - a marker that was added while tests run, and is wrong
            return self.said.usual

    def _begin(self, item: pytest.Item) -> None:
        self._open.close()
        settings = self._settings(item)
        if not self._hooked or (settings.mode == "off" and self.said.usual.mode == "off"):
            return
        with ExitStack() as stack:
            self.present = Watch(item, settings)
            stack.callback(self._leave)
            stack.callback(setattr, Run, "usual", Run.usual)
            Run.usual = _for_runs(settings)
            if (going_on := current.current()) is None:
                stack.enter_context(self.present.own)
            else:
                self.present.began(going_on)  # a world's, of a test that imports its SDK itself
            self._open = stack.pop_all()

    def _leave(self) -> None:
        self.present = None

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """A test begins, perhaps again."""
        self._safely(item, lambda: self._begin(item))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_fixture_setup(
        self, fixturedef: pytest.FixtureDef[object], request: pytest.FixtureRequest
    ) -> Generator[None, object, object]:
        """What a wider fixture starts belongs to nobody in particular."""
        if request.scope == FUNCTION:
            return (yield)
        with current.unclaimed():
            return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Generator[None, object, object]:
        """The body has ended when this has: reports that come before are those of subtests."""
        try:
            return (yield)
        finally:
            if self.present is not None:
                self.present.body_ended = True

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        """Judge the test's runs; checks that fail one make a failure of a test that passed."""
        watch = self.present
        records: list[Record] = []
        failure: BaseException | None = None
        if watch is not None and watch.item is item and not watch.judged and _is_due(watch, call):
            watch.judged = True
            records = self._safely(item, lambda: self._judged(watch, call)) or []
            failure = self._failure(item, call, records)
        if failure is not None:
            call.excinfo = pytest.ExceptionInfo.from_exception(failure)
        report = yield
        if records:
            run = run_of(item)
            self._pending = records if run is not None and run.asked.rate is not None else []
            self._safely(item, lambda: self._report(report, records, failure))
        return report

    def _judged(self, watch: Watch, call: pytest.CallInfo[None]) -> list[Record]:
        error = _error(watch.item, call)
        watch.end(error)
        records = watch.records(error)
        for crashed in (each for record in records for each in record.crashed):
            self._warn(watch.item, f"{crashed[0]}: {crashed[1]}\n{crashed[2]}")
        for bug in watch.bugs:
            self._warn(watch.item, f"squall could not judge a run; please report this as a bug of squall\n{bug}")
        return records

    @staticmethod
    def _failure(item: pytest.Item, call: pytest.CallInfo[None], records: list[Record]) -> BaseException | None:
        if _error(item, call) is not None or not any(record.fails for record in records):
            return None
        verdicts = [verdict for record in records for verdict in record.verdicts]
        error = AgentCheckFailed(Checked(item.nodeid, verdicts))
        with suppress(AgentCheckFailed):
            _throw(error)  # pytest wants to see where it was raised
        return error

    def _report(self, report: pytest.TestReport, records: list[Record], failure: BaseException | None) -> None:
        failing = [record for record in records if record.fails]
        if failing and hasattr(report, "wasxfail") and report.skipped:
            for record in failing:
                record.entry["skipped"] = f"the test was expected to fail: {report.wasxfail}"
        elif failing and failure is not None and report.failed:
            report.longrepr = sections.representation(records, report.location)
        elif failing and report.failed:
            report.sections.append((sections.HEADING, sections.section(records)))
        merge.put(report, records)

    @pytest.hookimpl(tryfirst=True)  # before xdist sends it
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A gate makes one report of all phases, which takes the records along."""
        if self._pending and self.present is None:
            merge.put(report, self._pending)
            self._pending = []

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self) -> Generator[None, object, object]:
        """What comes after the test's fixtures is nobody's."""
        try:
            return (yield)
        finally:
            self._open.close()

    def pytest_sessionfinish(self) -> None:
        """What nobody was told of: the checks woke when the tests had been collected."""
        if self.said.problems and hasattr(self.config, "workeroutput"):
            self.config.workeroutput[PROBLEMS] = list(map(str, self.said.problems))

    def _safely(self, item: pytest.Item, fn: Callable[[], T]) -> T | None:
        try:
            return fn()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is ours, and no test fails by it
            message = f"squall could not judge this test ({type(error).__name__}: {error})"
            self._warn(item, f"{message}; please report this as a bug of squall")
            return None

    def _warn(self, item: pytest.Item, message: str) -> None:
        """Show a warning. Where warnings are errors it is shown all the same, and no test fails by it."""
        path, line, _ = item.location
        self._show(message, Position(path, (line or 0) + 1), item.nodeid)

    def _show(self, message: str, at: Position, nodeid: str = "") -> None:
        if warn(self.config, message, at) is not None:
            told = warnings.WarningMessage(SquallWarning(message), SquallWarning, at.file, at.line or 1)
            about = {"warning_message": told, "when": "runtest", "nodeid": nodeid, "location": None}
            self.config.hook.pytest_warning_recorded.call_historic(kwargs=about)


def _throw(error: Exception) -> None:
    raise error


def _for_runs(settings: Settings) -> Settings:
    """For runs that a test checks itself: it asks for it, so that being off is not meant for them."""
    return msgspec.structs.replace(settings, mode="fail") if settings.mode == "off" else settings


def _is_due(watch: Watch, call: pytest.CallInfo[None]) -> bool:
    """After the body; or after the fixtures, where they have failed and there will be no body."""
    return watch.body_ended if call.when == "call" else call.when == "setup" and call.excinfo is not None


def _error(item: pytest.Item, call: pytest.CallInfo[None]) -> BaseException | None:
    if call.excinfo is not None:
        return call.excinfo.value
    noted = getattr(item, EXCINFO, None)
    return noted[0].value if noted else None
