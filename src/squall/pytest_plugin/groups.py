"""The reporting side of a gate: carriers become one report per group. In xdist this is the controller.

The last carrier of a group is turned, in place, into the group's call report under the test's own id; so all reporters,
and xdist's own count for `-x`, sees one normal result. Knows reports; what a group's result is stands in `verdict`.
"""

from __future__ import annotations

import copy
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from _pytest._code.code import ReprFileLocation, TerminalRepr
from _pytest._io import TerminalWriter

from squall.errors import Position
from squall.pytest_plugin.calm import of_group
from squall.pytest_plugin.gate import ABSORBED, first_line
from squall.pytest_plugin.notices import warn
from squall.pytest_plugin.record import ATTRIBUTE, RunRecord
from squall.pytest_plugin.remembered import remember_failed, remember_step
from squall.pytest_plugin.runs import group_of
from squall.pytest_plugin.verdict import Outcome, Required, Verdict, decide, passes
from squall.pytest_plugin.wider import ATTRIBUTE as WIDER

Key = tuple[str, str, int]  # the group's id, its worker under --dist=each, which of the copies that were collected
Location = tuple[str, int | None, str]
CRASH = "???"  # how xdist marks its report of a run that was lost with its worker
UNDECIDED = "squall_undecided"


@dataclass
class Group:
    """The runs of one test, as far as they have reported."""

    nodeid: str
    location: Location
    size: int
    required: float | None = None
    confidence: float | None = None
    gated: bool = True
    runs: dict[int, RunRecord] = field(default_factory=dict)
    ids: dict[int, str] = field(default_factory=dict)
    lost: set[str] = field(default_factory=set)
    duration: float = 0.0
    verdict: Verdict | None = None

    @property
    def mistaken(self) -> bool:
        """Whether the test is written so that its runs could not test anything."""
        return any(run.mistake for run in self.runs.values())


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
        self.lost: set[tuple[str, str]] = set()  # runs, with their workers as above
        self.counted: set[tuple[str, int]] = set()
        self.broken: set[str] = set()
        self.unfinished: dict[str, list[tuple[str, object]]] = {}  # properties of groups whose last report is to come
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
            self.lost.add((report.nodeid, self.worker(report)))
        if wider := getattr(report, WIDER, None):
            self.broken.add(wider)
            report.user_properties = self.unfinished.pop(wider, [])
        if absorbed := getattr(report, ABSORBED, wider):
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
        if last and record.followed:
            self.unfinished[group.nodeid] = report.user_properties
        elif last:
            self.log_teardown(report)
        return result

    def worker(self, report: pytest.TestReport) -> str:
        """Under --dist=each every worker has groups of its own."""
        each = getattr(self.config.option, "dist", "no") == "each"
        return report.node.gateway.id if each and hasattr(report, "node") else ""

    def add(self, record: RunRecord, report: pytest.TestReport) -> Group:
        """Note what a run says; make a carrier anonymous, so that JUnit sums it up in one test case."""
        worker = self.worker(report)
        key = record.group, worker, record.copy
        group = self.groups.get(key)
        if group is None:
            group = self.groups[key] = Group(record.group, report.location, record.size)
            group.required, group.gated = record.required, record.required is not None
            group.confidence = record.confidence
            if group.gated and self.session is not None and (record.group, record.copy) not in self.counted:
                self.counted.add((record.group, record.copy))  # once, as pytest knows nothing of workers
                self.session.testscollected -= group.size - 1  # so that progress ends at 100 %
        group.runs[record.index] = record if group.gated else as_reported(record, report, group.runs.get(record.index))
        group.ids[record.index] = report.nodeid
        if group.gated:
            self.lost.discard((report.nodeid, worker))  # xdist ran it again
            report.nodeid, report.location = group.nodeid, group.location
            group.duration += report.duration
            report.duration = 0.0  # the group's report has them all
            for name in ("node", ATTRIBUTE):
                vars(report).pop(name, None)
        return group

    def close(self, group: Group, report: pytest.TestReport, *, stopped: bool) -> None:
        """Decide over a group and write the decision into `report`."""
        required = None if group.required is None else Required(group.required, group.confidence)
        verdict = decide(group.runs, group.size, required, len(group.lost), stopped=stopped)
        bad = [run for run in _in_order(group) if run.status not in {"passed", "skipped"}]
        first = bad[0] if bad and not bad[0].mistake else None  # a mistake is all that the verdict says
        if verdict.outcome in {"passed", "xpassed"} and (escalated := self.warn_if_calm(group)):
            verdict = Verdict("failed", f"{escalated}\n{verdict.sentence}")
        group.verdict = verdict
        fill(report, verdict, group.location, first)
        report.user_properties = [each for run in _in_order(group) for each in run.properties]
        report.user_properties.append(("squall.passed", f"{passes(group.runs)}/{group.size}"))
        if group.confidence is not None:
            report.user_properties.append(("squall.verdict", verdict.outcome))
        report.sections = list(first.sections) if first and report.outcome == "failed" else []
        report.duration = group.duration

    def warn_if_calm(self, group: Group) -> str | None:
        """Tell if a group's plan leaves its faults to chance and none ever happened."""
        calm = of_group(group.runs.values(), group.size)
        path, line, _ = group.location
        return warn(self.config, f"{group.nodeid}: {calm}", Position(path, (line or 0) + 1)) if calm else None

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
        for nodeid, worker in self.lost:
            if group := self.loser(nodeid, worker):
                group.lost.add(nodeid)
        for group in list(self.groups.values()):
            if group.gated and group.verdict is None:
                report = pytest.TestReport(group.nodeid, group.location, {}, "failed", None, "call")
                self.close(group, report, stopped=stopped)
                self.config.hook.pytest_runtest_logreport(report=report)
                self.log_teardown(report)
            elif not group.gated and group.size > 1:
                self.warn_if_calm(group)

    def loser(self, run: str, worker: str) -> Group | None:
        """The group that lost a run, perhaps a gate of which no run has ended; None if it is in no group."""
        nodeid = group_of(run)
        copies = (group for key, group in self.groups.items() if key[:2] == (nodeid, worker))
        if group := next((group for group in copies if run not in group.ids.values()), None):
            return group
        location = self.started.get(nodeid)
        if location is None or nodeid in self.collected:
            return None
        size = len({each for each in self.collected if group_of(each) == nodeid})
        return self.groups.setdefault((nodeid, worker, 0), Group(nodeid, location, size))

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """An undecided group is shown as such."""
        return ("undecided", "u", "UNDECIDED") if hasattr(report, UNDECIDED) and report.when == "call" else None

    @pytest.hookimpl(trylast=True)  # after pytest has written it
    def pytest_sessionfinish(self) -> None:
        """Put right what pytest remembers of this session's groups for the next one."""
        cache = getattr(self.config, "cache", None)
        decided = {group.nodeid: group for group in self.groups.values() if group.verdict}
        if cache is None or not decided:
            return
        outcomes = {nodeid: group.verdict.outcome for nodeid, group in decided.items() if group.verdict}
        outcomes |= dict.fromkeys(self.broken & outcomes.keys(), "failed")
        lost = {nodeid for group in decided.values() for nodeid in group.lost}
        remember_failed(cache, outcomes, self.collected, lost)
        if getattr(self.config.option, "stepwise", False):
            remember_step(cache, outcomes, self.collected)

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """The table of groups."""
        from squall.pytest_plugin.summary import show  # many sessions have no groups

        show(terminalreporter, [group for group in self.groups.values() if group.gated or group.size > 1])


def as_reported(record: RunRecord, report: pytest.TestReport, earlier: RunRecord | None) -> RunRecord:
    """A run without a gate, by what pytest shows of it: other plug-ins may make a failure of a phase after squall.

    `earlier` is the record of the phase before; set-up begins anew, perhaps for a re-run.
    """
    if report.when != "setup" and earlier and earlier.status == "failed" and record.status in {"passed", "skipped"}:
        return replace(record, status=earlier.status, violated=earlier.violated)
    if not report.failed or record.strict or record.status not in {"passed", "skipped"}:
        return record
    return replace(record, status="failed", violated=first_line(report))


def fill(report: pytest.TestReport, verdict: Verdict, location: Location, first: RunRecord | None) -> None:
    """Make `report` the call report of a group."""
    why = Why(verdict.sentence, location, first)
    extra: dict[Outcome, dict[str, Any]] = {
        "failed": {"outcome": "failed", "longrepr": why},
        "inconclusive": {"outcome": "failed", "longrepr": why},
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
