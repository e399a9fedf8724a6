"""The reports of an explored item: those of one of its runs, with what is to be said besides.

Knows pytest's reports and their representations.
"""

from __future__ import annotations

import pytest
from _pytest._code.code import ExceptionRepr, ReprEntry, ReprExceptionInfo, ReprFileLocation, ReprTraceback

from squall.explore import Schedule
from squall.explore.calls import UNTOLD, Calls
from squall.explore.choice import in_words
from squall.pytest_plugin.exploring.executor import Executor, Shown
from squall.pytest_plugin.exploring.once import Phase
from squall.pytest_plugin.exploring.record import Record
from squall.pytest_plugin.run import write_trace

HEADING = "squall: explored"
MARK = "E   "  # what pytest shows in red


def finish(executor: Executor, shown: Shown, nextitem: pytest.Item | None) -> pytest.TestReport:
    """Take down what outlives the item's runs and is not for the next item. The report of a teardown.

    `shown` is the run that is reported; its trace is kept where traces are wanted.
    """
    item = executor.item
    executor.done()
    if shown.trace is not None:
        write_trace(item, shown.trace)
    session = item.session
    until = None if session.shouldfail or session.shouldstop else nextitem

    def take_down() -> None:
        __tracebackhide__ = True
        session._setupstate.teardown_exact(until)  # noqa: SLF001 - as pytest does with the last test of a module

    call = pytest.CallInfo.from_call(take_down, "teardown", reraise=(pytest.exit.Exception, KeyboardInterrupt))
    report: pytest.TestReport = item.ihook.pytest_runtest_makereport(item=item, call=call)
    return report


def reports_of(
    shown: Shown, down: pytest.TestReport, record: Record | None, duration: float
) -> list[pytest.TestReport]:
    """The reports of a run, as those of the item; `down` is that of what was taken down after its last run.

    `record` is what the summary is to tell of it, if anything.
    """
    reports = shown.reports
    last = reports[-1]
    if down.failed and not last.failed:
        reports[-1] = down
    if record is None:
        return reports
    told = next((each for each in reports if each.when == "call"), reports[0])
    told.duration = duration
    for report in dict.fromkeys((told, reports[-1])):  # JUnit reads the last one's
        report.user_properties = [*last.user_properties, ("squall.explored", record.claim or record.replay)]
    record.put(told)
    return reports


def say(report: pytest.TestReport, text: str, summary: str = "", heading: str = HEADING, *, instead: str = "") -> None:
    """Add to what a failed report says: `text` below, `summary` before its one line in the short summary.

    `instead`: what that line goes on with in place of its own words.
    """
    found = report.longrepr
    if not isinstance(found, ExceptionRepr):
        found = _plain(str(found or ""), report.location)
        report.longrepr = found
    found.addsection(heading, text)
    crash = found.reprcrash
    if crash is not None and summary:
        crash.message = f"{summary}: {instead or crash.message}"


def fail(report: pytest.TestReport, why: str, text: str = "", heading: str = HEADING, summary: str = "") -> None:
    """Make a failure of a report that is none. `summary` is its one line in the short summary, else that of `why`."""
    found = _plain(why, report.location, summary)
    report.outcome, report.longrepr = "failed", found
    vars(report).pop("wasxfail", None)
    if text:
        say(report, text, heading=heading)


def failed(phases: list[Phase]) -> pytest.TestReport | None:
    """The first failed report of a run."""
    return next((phase.report for phase in phases if phase.report.failed), None)


def summary(schedule: Schedule, calls: Calls = UNTOLD) -> str:
    """What stands before a failure's own words in the short summary."""
    return f"under {in_words(schedule, calls)}" if schedule else ""


def _plain(text: str, at: tuple[str, int | None, str], summary: str = "") -> ReprExceptionInfo:
    path, line, _ = at
    crash = ReprFileLocation(path, (line or 0) + 1, summary or text.partition("\n")[0])
    lines = [f"{MARK}{each}".rstrip() for each in text.splitlines()]
    entry = ReprEntry(lines, None, None, ReprFileLocation(path, (line or 0) + 1, "squall"), "long")
    return ReprExceptionInfo(ReprTraceback([entry], None, "long"), crash)
