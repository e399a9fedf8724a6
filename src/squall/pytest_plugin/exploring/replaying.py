"""A kept failure run again: its test once under its schedule, and in words what came of it.

How it is met again, exactly or by arrival, is known in `squall.runs.exploring.meeting`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from squall.clock import real
from squall.errors import Problem, UsageError
from squall.explore.calls import calls_of
from squall.explore.choice import in_words
from squall.pytest_plugin.bad_runs import folded
from squall.pytest_plugin.exploring import reporting
from squall.pytest_plugin.exploring.executor import Executor, Shown, Unexplorable
from squall.pytest_plugin.exploring.failing import WIDTH, pictured
from squall.pytest_plugin.exploring.quiet import once_each
from squall.pytest_plugin.exploring.record import Record
from squall.runs.exploring import keeping
from squall.runs.exploring.details import Details
from squall.runs.exploring.meeting import BY_ARRIVAL, Met, known, meet
from squall.store import regressions
from squall.store.regressions import Regression

HEADING = "squall: replayed"
EXACTLY = "each fault at its own point"
NO_RUN = "fault not fired: the test has built no run of squall's, and asked no model"
CHANGED = {
    "test": "the test's source",
    "world": "the world file",
    "tools": "the tools' schemas",
    "script": "the model's script",
}


class Replay(NamedTuple):
    """The failure that this session replays."""

    path: Path
    regression: Regression

    @classmethod
    def of(cls, config: pytest.Config) -> Replay:
        """The one that the options name. Raises UsageError."""
        path = config.invocation_params.dir / config.option.squall_replay
        regression = regressions.read(path)
        known(path, regression)
        return cls(path, regression)

    @property
    def seed(self) -> int:
        """That of the run which failed."""
        return self.regression.seed

    def pick(self, items: Sequence[pytest.Item]) -> pytest.Item:
        """The failure's test; by its id, or where that says less or more of its path. Raises UsageError."""
        name = self.regression.test
        exact = [item for item in items if item.nodeid == name]
        near = [item for item in items if item.nodeid.endswith(f"/{name}") or name.endswith(f"/{item.nodeid}")]
        found = exact or near or (list(items) if len(items) == 1 else [])
        if len(found) == 1:
            return found[0]
        told = f"the test of this failure, {name}, was not collected" if not found else f"{name} may be several tests"
        hint = f'Name it: pytest "{name}" --squall-replay {self.path.name}'
        raise UsageError(Problem(f"--squall-replay: {told}", hint=hint))


REPLAY: pytest.StashKey[Replay] = pytest.StashKey()


def replay(executor: Executor, kept: Replay, nextitem: pytest.Item | None) -> list[pytest.TestReport]:
    """Run it; the reports, which are yet to be logged."""
    began = real.monotonic()
    record = Record(executor.item.nodeid)
    with once_each():
        try:
            met = _met(kept, executor)
        except Unexplorable:
            record.replay = NO_RUN
            if reporting.failed(executor.last.phases) is None:
                _fail(executor.last, NO_RUN)
        else:
            record.replay = _told(met, executor.last, kept)
        shown = executor.last
        down = reporting.finish(executor, shown, nextitem)
    return reporting.reports_of(shown, down, record, real.monotonic() - began)


def _met(kept: Replay, executor: Executor) -> Met:
    try:
        return meet(kept.regression, executor)
    except Unexplorable:
        if not executor.asks:
            raise
    executor.enclose()
    return meet(kept.regression, executor)


def _told(met: Met, shown: Shown, kept: Replay) -> str:
    """Say it in the reports of the run: it fails, unless all is well now. The sentence."""
    regression, replayed = kept.regression, met.replayed
    how = f"{BY_ARRIVAL}: {', '.join(replayed.leniently)}" if replayed.leniently else EXACTLY
    calls = calls_of((), keeping.arrivals_of(regression))
    lines = folded(f"{replayed.words} ({how}).", WIDTH, "")
    lines += folded(f"under {in_words(keeping.schedule_of(regression), calls)}", WIDTH, "    ")
    changed = [what for name, what in CHANGED.items() if _differs(regression, met.details, name)]
    if changed:
        lines.append(f"Changed since it was kept: {', '.join(changed)}.")
    lines += ["", *pictured(met.details, met.observed)]
    if replayed.how != "passes now":
        failed = reporting.failed(shown.phases)
        if failed is None:
            _fail(shown, replayed.words, "\n".join(lines))
        else:
            reporting.say(failed, "\n".join(lines), replayed.how, HEADING)
    return replayed.words


def _fail(shown: Shown, why: str, text: str = "") -> None:
    reports = shown.reports
    report = next((each for each in reports if each.when == "call"), reports[0])
    reporting.fail(report, why, text, HEADING)


def _differs(regression: Regression, details: Details, name: str) -> bool:
    return name in regression.digests and name in details.digests and regression.digests[name] != details.digests[name]
