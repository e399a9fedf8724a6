"""A kept failure run again: its test once under its schedule, and in words what came of it.

First exactly: each fault at its own point. Where one has not fired, once more leniently: at the call that arrives as
the same one at its target, whatever its arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

from squall.clock import real
from squall.errors import Problem, UsageError
from squall.explore import Observed
from squall.explore.choice import in_words
from squall.pytest_plugin.bad_runs import folded
from squall.pytest_plugin.exploring import files, reporting
from squall.pytest_plugin.exploring.executor import Executor, Shown, Unexplorable
from squall.pytest_plugin.exploring.failing import WIDTH, pictured
from squall.pytest_plugin.exploring.quiet import once_each
from squall.pytest_plugin.exploring.record import Record
from squall.runs.exploring import keeping
from squall.runs.exploring.details import Details
from squall.runs.exploring.keeping import Replayed
from squall.runs.exploring.weather import Weather
from squall.store import regressions
from squall.store.regressions import Regression

HEADING = "squall: replayed"
EXACTLY = "each fault at its own point"
NO_RUN = "fault not fired: the test has built no run of squall's"
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
        files.schedule_of(path, regression)
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


class _Came(NamedTuple):
    """One run of it."""

    shown: Shown
    observed: Observed
    details: Details
    replayed: Replayed


def replay(executor: Executor, kept: Replay, nextitem: pytest.Item | None) -> list[pytest.TestReport]:
    """Run it; the reports, which are yet to be logged."""
    began = real.monotonic()
    record = Record(executor.item.nodeid)
    with once_each():
        try:
            came = _run(executor, kept)
        except Unexplorable:
            shown = executor.last
            record.replay = NO_RUN
            if reporting.failed(shown.phases) is None:
                _fail(shown, NO_RUN)
        else:
            shown = came.shown
            record.replay = _told(came, kept)
        down = reporting.finish(executor, shown, nextitem)
    return reporting.reports_of(shown, down, record, real.monotonic() - began)


def _run(executor: Executor, kept: Replay) -> _Came:
    exactly = _under(executor, kept, lenient=False)
    if exactly.replayed.how != "fault not fired":
        return exactly
    leniently = _under(executor, kept, lenient=True)
    return leniently if leniently.replayed.how != "fault not fired" else exactly


def _under(executor: Executor, kept: Replay, *, lenient: bool) -> _Came:
    regression = kept.regression
    schedule = keeping.schedule_of(regression)
    observed = executor.under(Weather(schedule, lenient=lenient, arrivals=keeping.arrivals_of(regression)))
    details = executor.details
    return _Came(executor.last, observed, details, keeping.compare(regression, observed, details))


def _told(came: _Came, kept: Replay) -> str:
    """Say it in the reports of the run: it fails, unless all is well now. The sentence."""
    regression, replayed = kept.regression, came.replayed
    how = f"not exactly, but at the same arrival: {', '.join(replayed.leniently)}" if replayed.leniently else EXACTLY
    lines = folded(f"{replayed.words} ({how}).", WIDTH, "")
    lines += folded(f"under {in_words(keeping.schedule_of(regression))}", WIDTH, "    ")
    changed = [what for name, what in CHANGED.items() if _differs(regression, came.details, name)]
    if changed:
        lines.append(f"Changed since it was kept: {', '.join(changed)}.")
    lines += ["", *pictured(came.details, came.observed)]
    if replayed.how != "passes now":
        failed = reporting.failed(came.shown.phases)
        if failed is None:
            _fail(came.shown, replayed.words, "\n".join(lines))
        else:
            reporting.say(failed, "\n".join(lines), replayed.how, HEADING)
    return replayed.words


def _fail(shown: Shown, why: str, text: str = "") -> None:
    reports = shown.reports
    report = next((each for each in reports if each.when == "call"), reports[0])
    reporting.fail(report, why, text, HEADING)


def _differs(regression: Regression, details: Details, name: str) -> bool:
    return name in regression.digests and name in details.digests and regression.digests[name] != details.digests[name]
