"""The runs' side of a gate: each run reports to its group instead of for itself. In xdist this is the worker.

A run of a gated test logs one report, its carrier: of the set-up phase and passed, which terminal, JUnit and `--lf` do
not count, under the run's own node id, which xdist insists on. Knows how to run an item; what a group makes of it is
decided in `groups`.
"""

from __future__ import annotations

from collections.abc import Generator, Sequence

import pytest
from _pytest.runner import runtestprotocol

from squall.pytest_plugin.run import Run, run_of
from squall.pytest_plugin.runs import group_in
from squall.pytest_plugin.wider import apart, report_of

ABSORBED = "squall_absorbed"  # on reports of a gated run's subtests


class Gate:
    """Runs the items that a gate decides over."""

    def __init__(self) -> None:
        self.running: Run | None = None
        self.subtests: list[str] = []

    @pytest.hookimpl(tryfirst=True)  # before plug-ins that run an item again: a gate counts each run once
    def pytest_runtest_protocol(self, item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
        """Run an item that belongs to a gate, and report it to its group."""
        run = run_of(item)
        if run is None or run.asked.rate is None or item.config.option.setuponly:
            return None
        hook, where = item.ihook, location_of(run)
        # under the group's id: should this process die, whoever reads the log knows that a gate lost a run
        hook.pytest_runtest_logstart(nodeid=run.group, location=where)
        self.running, self.subtests = run, []
        try:
            with apart(run):
                reports = runtestprotocol(item, log=False, nextitem=nextitem)
        finally:
            self.running = None
        hook.pytest_runtest_logreport(report=self.carrier(run, reports))
        for error in run.wider:
            report = report_of(item, error, run.group)
            report.location = where
            hook.pytest_runtest_logreport(report=report)
        hook.pytest_runtest_logfinish(nodeid=run.group, location=where)
        return True

    def carrier(self, run: Run, reports: Sequence[pytest.TestReport]) -> pytest.TestReport:
        """The one report of a run, made of the first of its phases'."""
        record = run.record()
        if self.subtests and record.status == "passed":
            record.status, record.violated = "failed", f"contains {len(self.subtests)} failed subtests"
        decisive = next((each for each in reports if each.failed), None) or next(
            (each for each in reports if each.skipped), None
        )
        if record.status == "passed" and decisive is not None and decisive.failed and not record.strict:
            record.status, record.violated = "failed", first_line(decisive)  # by another plug-in's word
        if record.status != "passed":
            record.text = "\n\n".join([*self.subtests, decisive.longreprtext if decisive else record.violated])
            record.sections = list(decisive.sections) if decisive else []
        if record.status == "skipped" and decisive is not None and isinstance(decisive.longrepr, tuple):
            record.violated = decisive.longrepr[2].removeprefix("Skipped: ")
        carrier = reports[0]
        record.properties = list(reports[-1].user_properties)
        carrier.location = location_of(run)
        carrier.when, carrier.outcome, carrier.longrepr = "setup", "passed", None
        carrier.sections, carrier.user_properties = [], []
        carrier.duration = sum(each.duration for each in reports)
        vars(carrier).pop("wasxfail", None)
        record.put(carrier)
        return carrier

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None]:
        """A subtest of a gated run counts for the run, not for itself."""
        if self.running is not None and hasattr(report, "context"):
            self.absorb(report, self.running)
        return (yield)

    def absorb(self, report: pytest.TestReport, run: Run) -> None:
        """Make a subtest's report say nothing."""
        if report.failed:
            self.subtests.append(report.longreprtext)
        report.when, report.outcome, report.longrepr, report.sections = "setup", "passed", None, []
        vars(report)[ABSORBED] = run.group


def first_line(report: pytest.TestReport) -> str:
    """What a failed report says, in one line."""
    crash = getattr(report.longrepr, "reprcrash", None)
    said: str = crash.message if crash else report.longreprtext
    return said.partition("\n")[0]


def location_of(run: Run) -> tuple[str, int | None, str]:
    """Where the test stands, under its own name."""
    path, line, name = run.item.location
    return path, line, group_in(name, run.item)
