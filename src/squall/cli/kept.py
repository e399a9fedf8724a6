"""What has become of the failures that are kept for a scenario, now that their schedules have been run again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from squall.explore import Observed, Schedule, Trial
from squall.reports.wording import counted, listed
from squall.runs.exploring import keeping
from squall.store.regressions import Regression

STILL, OTHERWISE, PASSES, NOT_MET = "still there", "failing otherwise", "passing now", "not met any more"
SHOWN = 3


class Kept:
    """Is told of each run of a search, and remembers those of kept failures."""

    def __init__(self, found: Sequence[tuple[Path, Regression]]) -> None:
        self._found = [(path, each, keeping.schedule_of(each)) for path, each in found]
        self.schedules: list[Schedule] = [schedule for _, _, schedule in self._found]
        self._came: dict[Schedule, Observed] = {}

    def __call__(self, trial: Trial, observed: Observed) -> None:
        """One more run."""
        if trial.schedule in self.schedules:
            self._came[trial.schedule] = observed

    @property
    def notes(self) -> list[str]:
        """What there is to say of them, in a sentence: which is good news, and which needs a look."""
        became: dict[str, list[Path]] = {}
        for path, each, schedule in self._found:
            observed = self._came.get(schedule)
            if observed is not None:
                became.setdefault(_became(each, observed), []).append(path)
        if not became:
            return []
        told = [f"{len(paths)} {'is' if len(paths) == 1 else 'are'} {how}" for how, paths in sorted(became.items())]
        sentences = [f"Of {counted(sum(map(len, became.values())), 'kept failure')} {listed(told)}."]
        if gone := became.get(NOT_MET):
            names = ", ".join(path.name for path in gone[:SHOWN]) + (" …" if len(gone) > SHOWN else "")
            sentences.append(f"Not met any more, which squall replay looks into: {names}.")
        return sentences


def _became(regression: Regression, observed: Observed) -> str:
    if observed.bad:
        return STILL if keeping.same(observed.what, regression.violated) else OTHERWISE
    return PASSES if len(observed.fired) == len(regression.schedule) else NOT_MET
