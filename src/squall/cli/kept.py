"""What has become of the failures that are kept for a scenario, now that their schedules have been run again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Self

from squall.errors import UsageError
from squall.explore import Observed, Schedule, Trial
from squall.reports.wording import counted, listed
from squall.runs.exploring import keeping, meeting
from squall.runs.exploring.executing import Runner
from squall.runs.exploring.search import Found
from squall.store import regressions
from squall.store.regressions import Regression

STILL, OTHERWISE, PASSES, NOT_MET = "still there", "failing otherwise", "passing now", "not met any more"
SHOWN = 3


class Kept:
    """Is told of each run of a search, and remembers those of kept failures. `unread` are files that hold none."""

    def __init__(self, found: Sequence[tuple[Path, Regression]], unread: Sequence[UsageError] = ()) -> None:
        self._found = [meeting.known(path, each) for path, each in found]
        self._unread = unread
        self.schedules: list[Schedule] = [each.schedule for each in self._found]
        self._came: dict[Schedule, Observed] = {}
        self._unwritten: dict[str, None] = {}

    @classmethod
    def of(cls, folder: Path, test: str) -> Self:
        """Those of a test, in a folder."""
        unread: list[UsageError] = []
        return cls(regressions.kept(folder, test, unread.append), unread)

    def __call__(self, trial: Trial, observed: Observed) -> None:
        """One more run."""
        if trial.schedule in self.schedules:
            self._came[trial.schedule] = observed

    def meet(self, runs: Runner) -> None:
        """Find out where their faults strike by now, in runs before the search."""
        if self._found:
            calm = {each.point for each in runs(()).seen}
            self._found = [meeting.found_again(each, runs, calm) for each in self._found]
            self.schedules = [each.schedule for each in self._found]

    def file_of(self, found: Found, regression: Regression, folder: Path) -> Path | str:
        """Where a failure that was found is kept; written there, unless it is one that was met by arrival.

        "" where it did not show again, or cannot be written: what was found is told all the same.
        """
        if not found.shows_again:
            return ""
        for each in self._found:
            if each.moved and each.is_what(found) and each.regression.scenario == regression.scenario:
                return each.path
        try:
            return keeping.keep(regression, folder)[0]
        except UsageError as error:
            self._unwritten[f"Not kept as a file: {error}."] = None
            return ""

    @property
    def notes(self) -> list[str]:
        """What there is to say of them, in a sentence: which is good news, and which needs a look."""
        became: dict[str, list[Path]] = {}
        for each in self._found:
            observed = self._came.get(each.schedule)
            if observed is not None:
                became.setdefault(_became(each.regression, observed), []).append(each.path)
        wrong = [f"Not run again: {problem.message}." for error in self._unread for problem in error.problems]
        if not became:
            return [*wrong, *self._unwritten]
        told = [f"{len(paths)} {'is' if len(paths) == 1 else 'are'} {how}" for how, paths in sorted(became.items())]
        sentences = [f"Of {counted(sum(map(len, became.values())), 'kept failure')} {listed(told)}."]
        if gone := became.get(NOT_MET):
            sentences.append(f"Not met any more, neither exactly nor by arrival: {_names(gone)}.")
        if moved := [each.path for each in self._found if each.moved and each.schedule in self._came]:
            sentences.append(f"Met {meeting.BY_ARRIVAL}: {_names(moved)}.")
        return [*sentences, *wrong, *self._unwritten]


def _names(paths: Sequence[Path]) -> str:
    return ", ".join(path.name for path in paths[:SHOWN]) + (" …" if len(paths) > SHOWN else "")


def _became(regression: Regression, observed: Observed) -> str:
    if observed.bad:
        return STILL if keeping.same(observed.what, regression.violated) else OTHERWISE
    return PASSES if len(observed.fired) == len(regression.schedule) else NOT_MET
