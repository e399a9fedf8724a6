"""One item from its run without faults to its reports.

A test that fails, is skipped or cannot be explored is reported as its run without faults went. Knows in which order
things are done; how they are worded is known in `failing` and `reporting`.
"""

from __future__ import annotations

import pytest

from squall.clock import real
from squall.explore import Observed, Schedule, Search, Trial
from squall.explore.calls import UNTOLD, Calls
from squall.explore.choice import in_words
from squall.explore.search import REGRESSION
from squall.pytest_plugin.exploring import files, reporting
from squall.pytest_plugin.exploring.altering import altered
from squall.pytest_plugin.exploring.asking import Asked
from squall.pytest_plugin.exploring.executor import Executor, Shown, Unexplorable
from squall.pytest_plugin.exploring.failing import covered, told
from squall.pytest_plugin.exploring.live import Live
from squall.pytest_plugin.exploring.quiet import Tidy, once_each
from squall.pytest_plugin.exploring.record import Record, tell
from squall.pytest_plugin.fixtures import FUNCTION, scope_of
from squall.runs.exploring import keeping
from squall.runs.exploring.details import Details
from squall.runs.exploring.meeting import BY_ARRIVAL, found_again
from squall.runs.exploring.search import Explored, Found, search
from squall.runs.exploring.weather import Weather
from squall.runs.result import status_of

NO_RUN = (
    "mark.explore: this test has built no run of squall's, and has asked no model by an SDK that squall sees, so there "
    "is no place where a fault could happen\n"
    "Ask for a fixture such as `tools`, `mcp_url` or `model` (with mark.world where it needs a world), run the agent "
    "in `with squall.world(…)`, or have it ask a model through openai, anthropic or litellm."
)
NOTHING_THERE = "It builds no run of squall's, and asks no model by an SDK that squall sees."
NOT_IN_VIRTUAL_TIME = (
    "The test passes by itself, and fails without any fault in a run of squall's, which is in virtual time: so nothing "
    "was explored."
)
BASELINE = "The test fails without any fault, so nothing was explored."
NOT_IN_FORCE = "Its mark.faults is not in force while it is explored."
MEANS_ITS_FAULTS = "It fails without the faults that it names itself, so it was run with them, and not explored."
SKIPPED = "It was skipped."
LIVE = "The test calls a model at {hosts}, so it was not explored: each of its many runs would call it again."
LIVE_HINT = (
    "Ask for the fixture `model`, which serves one; or say --squall-allow-live, if the calls may cost what they do."
)
NOTHING = (
    "mark.explore: no fault has happened in any run, so nothing was explored\n"
    "Below stands why: no such target, calls that are others in each run, runs that skip themselves, or a budget."
)
ONE_OF_SEVERAL = "The test begins {number} runs of squall's: the first is explored, and the claim is about that one."
NOTHING_TO_ALTER = "The run without faults changed nothing in a world, so nothing was altered."
UNNOTICED = "the world was altered behind the agent's back, and the test did not notice: it asserts nothing about it"


def explore(executor: Executor, asked: Asked, nextitem: pytest.Item | None) -> list[pytest.TestReport]:
    """Explore an item; its reports, which are yet to be logged."""
    began = real.monotonic()
    course = Course(executor, asked)
    with once_each() as tidy:
        course.tidy = tidy
        shown = course.run()
        down = reporting.finish(executor, shown, nextitem)
    record = None if asked.unsaid and not course.record.tells else course.record
    return reporting.reports_of(shown, down, record, real.monotonic() - began)


class Refused(Exception):
    """A run has called a live model."""


class Course:
    """The exploration of one item. It is what executes schedules for the search, and is told how far that is."""

    def __init__(self, executor: Executor, asked: Asked) -> None:
        self.executor, self.asked, self.item = executor, asked, executor.item
        self.record = Record(self.item.nodeid)
        self.there = files.known(self.item)
        self.tidy: Tidy = lambda: None
        self._first: tuple[Observed, Details] | None = None
        self._of_first: Details | None = None  # while that is the run which was handed out last
        self._live = Live()
        self._search: Search | None = None
        self._began = real.monotonic()
        self._passed_over = 0  # runs that the test begins beside the one that is explored

    def __call__(self, schedule: Schedule, /) -> Observed:
        """One run; the first without faults has been made already."""
        if not schedule and self._first is not None:
            (first, self._of_first), self._first = self._first, None
            return first
        self._of_first = None
        return self.under(Weather(schedule))

    def under(self, weather: Weather, /) -> Observed:
        """One run in this weather."""
        try:
            observed = self.executor.under(weather)
        finally:
            self.tidy()
        self._passed_over = max(self._passed_over, weather.passed_over)
        if self._refused():
            raise Refused
        return observed

    @property
    def details(self) -> Details:
        """More of the run that was made last."""
        return self.executor.details if self._of_first is None else self._of_first

    def run(self) -> Shown:
        """The run that is to be reported, with all that is to be said in its reports."""
        executor = self.executor
        with self._live.watched():
            try:
                first = self._first_run()
            except Unexplorable:
                shown = executor.alone or executor.last
                return self._live_models(shown) if self._refused() else self._unexplorable(shown)
            calm = executor.last
            try:
                return self._explored(first, calm)
            except Refused:
                return self._live_models(calm)
            except KeyboardInterrupt:
                self._interrupted()
                raise

    def _first_run(self) -> Observed:
        """The run without faults; where the test builds none, and asks a model, in one that is built around it."""
        try:
            return self.executor(())
        except Unexplorable:
            if not self.executor.asks or self._refused():
                raise
        self.executor.enclose()
        first = self.executor(())
        if first.status == "passed" and not first.seen:
            raise Unexplorable
        return first

    def _explored(self, first: Observed, calm: Shown) -> Shown:
        """The run that is to be reported, after a run without faults."""
        if first.bad:
            return self._without_exploring(calm)
        if first.status == "skipped":
            self.record.notes.append(SKIPPED)
            return calm
        if self._refused():
            raise Refused
        details = self.executor.details
        calm_points = {each.point for each in first.seen}
        self.there = [found_again(each, self, calm_points) for each in self.there]
        self._first = first, details
        regressions = [each.schedule for each in self.there]
        explored = search(self, self.asked.options, regressions=regressions, told=self._told)
        self._note(explored)
        if explored.found:
            return self._of_failure(explored)
        if explored.coverage.shows_nothing and self.asked.marked:
            call = next(phase.report for phase in calm.phases if phase.when == "call")
            reporting.fail(call, NOTHING, "\n".join(covered(explored)))
            return calm
        if self.item.config.option.squall_mutate_world:
            self._alter(calm)
        return calm

    def _without_exploring(self, calm: Shown) -> Shown:
        """The test fails without any fault. One that is not marked may mean its own faults: it is run with them."""
        alone = self.executor.alone
        if alone is not None and all(report.passed for report in alone.reports):
            self.record.notes.append(NOT_IN_VIRTUAL_TIME)
            failed = reporting.failed(calm.phases)
            if self.asked.marked and failed is not None:
                reporting.say(failed, NOT_IN_VIRTUAL_TIME)
                return calm
            return alone
        own = self.executor.has_own_faults
        if own and not self.asked.marked:
            self.record.notes.append(MEANS_ITS_FAULTS)
            return self.executor.plainly()
        self.record.notes.append(BASELINE)
        failed = reporting.failed(calm.phases)
        if failed is not None:
            reporting.say(failed, f"{BASELINE} {NOT_IN_FORCE}" if own else BASELINE)
        return calm

    def _interrupted(self) -> None:
        """Somebody has ended the session: say how far it came."""
        if self._search is None:
            return
        found, record = self._search.findings, self.record
        record.claim, record.failures = self._search.coverage().claim, len(found)
        record.seconds = real.monotonic() - self._began
        told = [f"Found: {each.failure}, {in_words(each.schedule, self._search.calls)}." for each in found]
        record.notes = ["Interrupted.", *told]
        tell(self.item.config, record)

    def _refused(self) -> bool:
        return bool(self._live.hosts) and not self.item.config.option.squall_allow_live

    def _live_models(self, calm: Shown) -> Shown:
        """A model was called that costs money: the test is not explored."""
        why = LIVE.format(hosts=", ".join(self._live.hosts))
        self.record.notes.append(why)
        call = next((phase.report for phase in calm.phases if phase.when == "call"), None)
        if self.asked.marked and call is not None:
            reporting.fail(call, f"{why}\n{LIVE_HINT}")
        return calm

    def _unexplorable(self, shown: Shown) -> Shown:
        if self.asked.marked and all(report.passed for report in shown.reports):
            call = next(phase.report for phase in shown.phases if phase.when == "call")
            reporting.fail(call, NO_RUN)
        skipped = any(report.skipped for report in shown.reports)
        if self.asked.unsaid and self.item.config.option.usepdb and reporting.failed(shown.phases) is not None:
            self._debug(())
        if not self.asked.unsaid:
            self.record.notes.append(SKIPPED if skipped else NOTHING_THERE)
        return shown

    def _of_failure(self, explored: Explored) -> Shown:
        """The run that shows the first failure, which says all about it and the others."""
        main = explored.found[0]
        kept = [files.keep(self.item, found, self.there) for found in explored.found]
        shown = self._once_more(main)
        if self.item.config.option.usepdb:
            self._debug(main.schedule, main.calls)
        failed = reporting.failed(shown.phases)
        text = told(explored, kept)
        if failed is not None:
            reporting.say(
                failed, text, reporting.summary(main.schedule, main.calls), instead=_behind_a_crash(main, shown)
            )
        elif shown.subtests:
            call = next(phase.report for phase in shown.phases if phase.when == "call")
            said, words, _ = shown.subtests[0]
            reporting.fail(call, words, text, summary=f"{reporting.summary(main.schedule, main.calls)}: {said}")
        return shown

    def _once_more(self, found: Found) -> Shown:
        """A run that shows a failure: by its smallest schedule, or where that does not show it again, another one."""
        self.executor.brief = False
        again = self.executor(found.schedule)
        return self.executor.last if again.what == found.finding.failure else self.executor.bad[found.finding.failure]

    def _alter(self, calm: Shown) -> None:
        """Alter the world behind the agent's back; a test that notices nothing asserts nothing."""
        told, found = altered(self.executor.under)
        self.record.altered = told or [NOTHING_TO_ALTER]
        if not found:
            call = next(phase.report for phase in calm.phases if phase.when == "call")
            reporting.fail(call, UNNOTICED, "\n".join(told))

    def _debug(self, schedule: Schedule, calls: Calls = UNTOLD) -> None:
        """Run what fails once more, for a debugger to open in it."""
        terminal = self.item.config.pluginmanager.get_plugin("terminalreporter")
        if terminal is not None:
            terminal.write_line("")
            terminal.write_line(f"squall: {reporting.summary(schedule, calls) or 'without any fault'}, once more:")
        self.executor.openly(schedule)

    def _told(self, search: Search, trial: Trial, observed: Observed) -> None:
        """The search goes on. Of a kept failure that has been run again, say what came of it."""
        self._search = search
        self.executor.brief = not search.statistical  # then a failure may not show again, when it is to be reported
        self.record.runs = trial.id + 2
        if trial.why != REGRESSION:
            return
        for path, regression, schedule, moved in self.there:
            if schedule == trial.schedule:
                came = keeping.compare(regression, observed, self.details)
                how = f" ({BY_ARRIVAL})" if moved else ""
                self.record.kept.append(f"{files.shown_file(path, self.item.config)}: {came.words}{how}")

    def _note(self, explored: Explored) -> None:
        """What the summary is to say."""
        record, coverage = self.record, explored.coverage
        record.claim, record.notes = coverage.claim, list(coverage.notes)
        record.failures, record.runs, record.seconds = len(explored.found), explored.runs, explored.seconds
        record.revealed = list(coverage.revealed)
        if self._passed_over:
            record.notes.append(ONE_OF_SEVERAL.format(number=self._passed_over + 1))
        if explored.statistical and (wider := self._wider()):
            record.notes.append(f"Fixtures of a wider scope keep their state from run to run: {', '.join(wider)}.")

    def _wider(self) -> list[str]:
        """The test's fixtures that are not made anew for each run, those of pytest and its plug-ins aside."""
        found = []
        for name in self.item.fixturenames:
            scope = scope_of(self.item, name)
            if scope != FUNCTION and not name.startswith("_") and name not in NOT_THE_USERS:
                found.append(f"{name} ({scope})")
        return found


def _behind_a_crash(found: Found, shown: Shown) -> str:
    """What is violated in a run whose agent crashed as well, so that pytest names the crash; "" in others."""
    raised = next((phase.error for phase in shown.phases if phase.report.failed), None)
    if found.observed.status != "failed" or raised is None or status_of(raised) != "crashed":
        return ""
    return found.observed.message.partition("\n")[0] or found.observed.what


NOT_THE_USERS = frozenset({"anyio_backend", "event_loop_policy", "request"})
