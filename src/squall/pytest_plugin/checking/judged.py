"""One test's runs: its own, those of its worlds and those that it names, and what checks say of each.

A run in which no model was asked is nobody's agent, and is not told of; nor is a world's where the calls that its model
answered are those of runs that the test names inside. What is said of the others leaves as records: plain values that
travel between xdist's processes, masked before they do.
"""

from __future__ import annotations

import traceback
from dataclasses import asdict, dataclass, field
from typing import Any

import msgspec
import pytest

from squall.capture.current import Capture
from squall.capture.entry import entry_of
from squall.capture.run import Run
from squall.checks import Settings, Verdict, judge
from squall.checks.judge import CRASHED
from squall.checks.redact import redacted, redactor
from squall.checks.registry import checks
from squall.checks.verdict import unknown
from squall.errors import said
from squall.pytest_plugin.checking.expected import in_words
from squall.pytest_plugin.run import OURS, run_of
from squall.pytest_plugin.runs import group_in
from squall.reports.checked import CheckedRun
from squall.runs.result import is_skip, status_of
from squall.trace import Trace
from squall.trace.kinds import AgentFinal, ModelCall, RunEnd

OF_THE_MODEL = ("unrecovered_model_error", "no_answer")
"""Checks that would say again what fails the test already: that its model could not answer."""
OFF = 'checks are off for this test: @pytest.mark.checks(off=True), or mode="off"'


@dataclass
class Record:
    """What is told of one run.

    `nodeid` is its test's, `entry` the run in reports. `failed` and `warned` are the checks that fired, each with its
    step and the parts of its reason; `crashed` those that broke, with what is told of it and the traceback. `lines` is
    the run's trace, raw, where it is to be exported.
    """

    nodeid: str
    entry: dict[str, Any]
    failed: list[tuple[str, int | None, list[str]]] = field(default_factory=list)
    warned: list[tuple[str, int | None, list[str]]] = field(default_factory=list)
    crashed: list[tuple[str, str, str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)

    @property
    def run(self) -> CheckedRun:
        """As reports have it."""
        return CheckedRun(self.entry, tuple(check for check, _, _ in self.failed))

    @property
    def judged(self) -> bool:
        """Whether its verdicts count."""
        return self.run.counts

    @property
    def fails(self) -> bool:
        """Whether it fails its test."""
        return self.run.fails

    @property
    def verdicts(self) -> list[Verdict]:
        """Those that fail the test."""
        return [Verdict(check, "fail", "; ".join(parts), step) for check, step, parts in self.failed if self.judged]

    def plain(self) -> dict[str, Any]:
        """As builtins."""
        return asdict(self)


class Watch:
    """One execution of a test, from before its own fixtures to the end of its body."""

    def __init__(self, item: pytest.Item, settings: Settings) -> None:
        self.item, self.settings = item, settings
        self.body_ended = False
        self.judged = False
        self.bugs: list[str] = []
        self.own = Run(item.nodeid)
        self._runs: dict[int, Run] = {}  # those that the test names, by their captures' ids
        self._captures: list[Capture] = []

    def began_run(self, run: Run) -> None:
        """A run that the test names begins, or the test's own."""
        self._runs[id(run.capture)] = run

    def began(self, capture: Capture) -> None:
        """A capture begins: of a run, or of a world."""
        if capture not in self._captures:  # a world may be entered again
            self._captures.append(capture)

    def end(self, error: BaseException | None) -> None:
        """The test's body has ended, by an error perhaps: nothing is added to its own run any more."""
        recorder = self.own.recorder
        status = "passed" if error is None else status_of(error)
        if error is not None and status == "crashed":
            recorder.record(AgentFinal(error=in_words(error)))
        recorder.end(lambda count: RunEnd(status=status, count=count))

    def records(self, error: BaseException | None) -> list[Record]:
        """Judge all runs that asked a model."""
        found: list[tuple[Run | None, Trace, int]] = []
        for capture in reversed(self._captures):
            run = self._runs.get(id(capture))
            trace = run.trace if run else Trace(capture.recorder.lines, capture.recorder)
            calls = sum(isinstance(each.event, ModelCall) for each in trace.entries())
            within = sum(calls for inner, _, calls in found if inner is not None)
            if calls > (within if run is None else 0):
                found.append((run, trace, calls))
        return [self._record(run, trace, error) for run, trace, _ in reversed(found)]

    def _record(self, run: Run | None, trace: Trace, error: BaseException | None) -> Record:
        mask = redactor(self.settings.redaction)
        own = {self.item.nodeid, group_in(self.item.nodeid, self.item)}
        name = trace.entries()[0].envelope.run.rpartition("#")[0]
        about: dict[str, Any] = {"test": self.item.nodeid, "scenario": None if name in own else name}
        verdicts: list[Verdict] = []
        try:
            if run is not None and run.checked:
                entry = {**run.report, **about}
            else:
                skipped = self._skipped(error)
                verdicts = [] if skipped else judge(trace, self._settings(run, error))
                entry = entry_of(trace, verdicts, skipped=skipped, **about)
        except Exception as bug:  # noqa: BLE001 - whatever it is, it is ours, and no test fails by it
            self.bugs.append(traceback.format_exc())
            verdicts = [unknown(check.name, f"{CRASHED}{type(bug).__name__}") for check in checks()]
            entry = without_counts(verdicts, **about)
        return Record(
            self.item.nodeid,
            entry=redacted(entry, mask),
            failed=redacted([(each.check, each.step, each.parts) for each in verdicts if each.fails], mask),
            warned=redacted([(each.check, each.step, each.parts) for each in verdicts if _warns(each)], mask),
            crashed=redacted([(each.check, each.reason, each.detail) for each in verdicts if _crashed(each)], mask),
            lines=[line.decode() for line in trace.lines] if "export_otlp" in self.settings.reports else [],
        )

    def _settings(self, run: Run | None, error: BaseException | None) -> Settings:
        settings = self.settings
        if run is not None and run.user_id is not None:
            options = msgspec.structs.replace(settings.options, user_id=run.user_id)
            settings = msgspec.structs.replace(settings, options=options)
        if self._is_told(error):
            settings = msgspec.structs.replace(settings, skip=(*settings.skip, *OF_THE_MODEL))
        return settings

    def _is_told(self, error: BaseException | None) -> bool:
        """Whether the test fails by what squall itself raised: a request gone astray, a brain without an answer."""
        run = run_of(self.item)
        late = run.result.errors if run is not None and run.result is not None else []
        return any(type(each).__name__ in OURS for each in (error, *late))

    def _skipped(self, error: BaseException | None) -> str | None:
        """Why nothing is judged; None where it is."""
        if self.settings.mode == "off":
            return OFF
        if error is not None and is_skip(error):
            return f"the test was skipped: {said(error)}"
        return None


def without_counts(verdicts: list[Verdict], **about: Any) -> dict[str, Any]:
    """The entry of a run that cannot be read: nothing was counted."""
    return entry_of(Trace([]), verdicts, **about) | {"capture_complete": False}


def _warns(verdict: Verdict) -> bool:
    return verdict.fired and not verdict.fails


def _crashed(verdict: Verdict) -> bool:
    return verdict.reason.startswith(CRASHED)
