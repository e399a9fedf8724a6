"""The reporting side of a gate: carriers become one report per group. In xdist this is the controller.

The last carrier of a group is turned, in place, into the group's call report under the test's own id; so all reporters,
and xdist's own count for `-x`, sees one normal result. Knows reports; what a group's result is stands in `verdict`.
"""

from __future__ import annotations

import copy
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from _pytest._code.code import ReprFileLocation, TerminalRepr
from _pytest._io import TerminalWriter

from squall.errors import Position
from squall.pytest_plugin.gate import ABSORBED
from squall.pytest_plugin.notices import warn
from squall.pytest_plugin.record import ATTRIBUTE, RunRecord
from squall.pytest_plugin.runs import group_of
from squall.pytest_plugin.verdict import Outcome, Verdict, decide, passes

Key = tuple[str, str]  # the group's id, and its worker under --dist=each
Location = tuple[str, int | None, str]
CRASH = "???"  # how xdist marks its report of a run that was lost with its worker
CACHE = "cache/lastfailed"
UNDECIDED = "squall_undecided"
CALM = (
    "no drawn fault fired in any of the {size} runs, so none was tested: raise the probabilities or the number of runs"
)


@dataclass
class Group:
    """The runs of one test, as far as they have reported."""

    nodeid: str
    location: Location
    size: int
    required: float | None = None
    gated: bool = True
    runs: dict[int, RunRecord] = field(default_factory=dict)
    ids: dict[int, str] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    duration: float = 0.0
    verdict: Verdict | None = None

    @property
    def failed(self) -> bool:
        """Whether something of it is to be shown."""
        return self.verdict.outcome == "failed" if self.verdict else passes(self.runs) < len(self.runs)


class Why(TerminalRepr):
    """Why a gate did not pass: the sentence, and the first failing run in its own words."""

    def __init__(self, sentence: str, at: Location, run: RunRecord | None) -> None:
        self.sentence, self.run = sentence, run
        self.reprcrash = ReprFileLocation(at[0], (at[1] or 0) + 1, sentence.partition("\n")[0])

    def toterminal(self, tw: TerminalWriter) -> None:
        """Write it as a report's text."""
        tw.line(self.sentence)
        if self.run is not None:
            tw.line(f"\nrun {self.run.index} {self.run.status.replace('_', ' ')}:\n\n{self.run.text}")


class Groups:
    """Collects the runs of each group and reports the group when the last one is in."""

    def __init__(self, config: pytest.Config) -> None:
        self.config = config
        self.groups: dict[Key, Group] = {}
        self.started: dict[str, Location] = {}
        self.lost: dict[Key, set[str]] = {}
        self.collected: Sequence[str] = ()
        self.session: pytest.Session | None = None

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Know every run's id, also of those that will not report; the workers have all collected the same."""
        self.collected = ids

    def pytest_runtest_logstart(self, nodeid: str, location: Location) -> None:
        """Runs that a gate decides over begin under their group's id: so gates are known of which no run ever ends."""
        self.started[nodeid] = location

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> Generator[None]:
        """Turn carriers into reports of their groups."""
        if report.when == CRASH and report.failed:
            self.lost.setdefault(self.key(report, group_of(report.nodeid)), set()).add(report.nodeid)
        if absorbed := getattr(report, ABSORBED, None):
            report.nodeid = absorbed
            vars(report).pop("node", None)
        record = RunRecord.take(report)
        if record is None or absorbed:
            return (yield)
        group = self.add(record, report)
        if not group.gated:
            return (yield)
        if last := len(group.runs) == group.size:
            self.close(group, report, stopped=False)
        result = yield
        if last:
            self.log_teardown(report)
        return result

    def key(self, report: pytest.TestReport, nodeid: str) -> Key:
        """Under --dist=each every worker has a group of its own."""
        each = getattr(self.config.option, "dist", "no") == "each"
        return nodeid, report.node.gateway.id if each and hasattr(report, "node") else ""

    def add(self, record: RunRecord, report: pytest.TestReport) -> Group:
        """Note what a run says; make a carrier anonymous, so that JUnit sums it up in one test case."""
        key = self.key(report, record.group)
        path, line, domain = report.location
        group = self.groups.get(key)
        if group is None:
            group = self.groups[key] = Group(record.group, (path, line, group_of(domain)), record.size)
            group.required, group.gated = record.required, record.required is not None
            if group.gated and self.session is not None:
                self.session.testscollected -= group.size - 1  # so that progress ends at 100 %
        group.runs[record.index] = record
        group.ids[record.index] = report.nodeid
        if group.gated:
            self.lost.get(key, set()).discard(report.nodeid)  # xdist ran it again
            report.nodeid, report.location = group.nodeid, group.location
            group.duration += report.duration
            report.duration = 0.0  # the group's report has them all
            for name in ("node", ATTRIBUTE):
                vars(report).pop(name, None)
        return group

    def close(self, group: Group, report: pytest.TestReport, *, stopped: bool) -> None:
        """Decide over a group and write the decision into `report`."""
        verdict = decide(group.runs, group.size, group.required, len(group.lost), stopped=stopped)
        first = next((run for run in _in_order(group) if run.status not in {"passed", "skipped"}), None)
        if verdict.outcome in {"passed", "xpassed"} and (escalated := self.warn_if_calm(group)):
            verdict = Verdict("failed", f"{escalated}\n{verdict.sentence}")
        group.verdict = verdict
        fill(report, verdict, group.location, first)
        report.user_properties = [each for run in _in_order(group) for each in run.properties]
        report.user_properties.append(("squall.passed", f"{passes(group.runs)}/{group.size}"))
        report.sections = list(first.sections) if first and report.outcome == "failed" else []
        report.duration = group.duration

    def warn_if_calm(self, group: Group) -> str | None:
        """Tell if a group's plan leaves its faults to chance and none ever happened."""
        calm = all(run.drawn and not run.fired for run in group.runs.values())
        if not calm or len(group.runs) < group.size:
            return None
        path, line, _ = group.location
        return warn(self.config, f"{group.nodeid}: {CALM.format(size=group.size)}", Position(path, (line or 0) + 1))

    def log_teardown(self, report: pytest.TestReport) -> None:
        """JUnit finishes a test case on its teardown's report; a copy, as the terminal keeps the first one."""
        end = copy.copy(report)
        end.when, end.outcome, end.longrepr, end.sections, end.duration = "teardown", "passed", None, [], 0.0
        vars(end).pop("wasxfail", None)
        self.config.hook.pytest_runtest_logreport(report=end)

    @pytest.hookimpl(wrapper=True, tryfirst=True)  # before the exit status is decided
    def pytest_runtestloop(self, session: pytest.Session) -> Generator[None, object, object]:
        """When all items have run, or the session stops: decide over the groups that have not all their runs."""
        self.session, stopped = session, True
        self.collected = self.collected or [item.nodeid for item in session.items]
        try:
            result = yield
            stopped = False
        finally:
            self.close_all(stopped=stopped)
        return result

    def close_all(self, *, stopped: bool) -> None:
        """Decide over what is still open."""
        for key, ids in self.lost.items():
            group = self.groups.get(key) or self.unheard(key[0])
            if group is not None:
                group.lost = ids
                self.groups[key] = group
        for group in list(self.groups.values()):
            if group.gated and group.verdict is None:
                report = pytest.TestReport(group.nodeid, group.location, {}, "failed", None, "call")
                self.close(group, report, stopped=stopped)
                self.config.hook.pytest_runtest_logreport(report=report)
                self.log_teardown(report)
            elif not group.gated and group.size > 1:
                self.warn_if_calm(group)

    def unheard(self, nodeid: str) -> Group | None:
        """A gate of which no run has ended; None if `nodeid` has no gate."""
        location = self.started.get(nodeid)
        if location is None or nodeid in self.collected:
            return None
        return Group(nodeid, location, sum(group_of(each) == nodeid for each in self.collected))

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """An undecided group is shown as such."""
        return ("undecided", "u", "UNDECIDED") if hasattr(report, UNDECIDED) and report.when == "call" else None

    @pytest.hookimpl(trylast=True)  # after pytest has written it
    def pytest_sessionfinish(self) -> None:
        """`--lf` knows items, not groups: a failed group means all of its runs."""
        cache = getattr(self.config, "cache", None)
        decided = {group.nodeid: group for group in self.groups.values() if group.verdict}
        if cache is None or not decided:
            return
        failed: dict[str, bool] = cache.get(CACHE, {})
        for nodeid in self.collected:
            group = decided.get(group_of(nodeid))
            outcome = group.verdict.outcome if group and group.verdict else "undecided"
            if outcome == "failed":
                failed[nodeid] = True
            elif group and outcome != "undecided" and nodeid not in group.lost:
                failed.pop(nodeid, None)
        runs = set(self.collected)
        cache.set(CACHE, {nodeid: True for nodeid in failed if nodeid in runs or nodeid not in decided})

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """The table of groups."""
        from squall.pytest_plugin.summary import show  # it brings statistics, and many sessions have no groups

        show(terminalreporter, [group for group in self.groups.values() if group.gated or group.size > 1])


def fill(report: pytest.TestReport, verdict: Verdict, location: Location, first: RunRecord | None) -> None:
    """Make `report` the call report of a group."""
    why = Why(verdict.sentence, location, first)
    extra: dict[Outcome, dict[str, Any]] = {
        "failed": {"outcome": "failed", "longrepr": why},
        "xfailed": {"outcome": "skipped", "longrepr": why, "wasxfail": verdict.sentence},
        "xpassed": {"outcome": "passed", "longrepr": None, "wasxfail": verdict.sentence},
        "passed": {"outcome": "passed", "longrepr": None},
    }
    skipped = (location[0], (location[1] or 0) + 1, f"Skipped: {verdict.sentence}")
    vars(report).update(extra.get(verdict.outcome, {"outcome": "skipped", "longrepr": skipped}))
    if verdict.outcome == "undecided":
        vars(report)[UNDECIDED] = True
    report.when = "call"


def _in_order(group: Group) -> list[RunRecord]:
    return [group.runs[index] for index in sorted(group.runs)]
