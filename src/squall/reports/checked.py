"""Runs that were checked, as reports tell of them: their entries, which of them fail, and what they sum up to.

Knows no file. The entry of a run is what `squall.capture.entry` makes, or whoever judges a trace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any, NamedTuple, Protocol

from squall.errors import counted


class CheckedRun(NamedTuple):
    """One run: its entry, and the names of the checks that make a failure of it."""

    entry: dict[str, Any]
    failed: tuple[str, ...] = ()

    @property
    def counts(self) -> bool:
        """Whether its verdicts do: a run that was skipped, or that its test checked itself, is only listed."""
        return self.entry["skipped"] is None and not self.entry["checked_by_test"]

    @property
    def fails(self) -> bool:
        """Whether it is a failure."""
        return self.counts and bool(self.failed)


class Tally:
    """Counts runs, one after the other."""

    def __init__(self, runs: Iterable[CheckedRun] = ()) -> None:
        self._runs = self._failed = self._skipped = 0
        self._fired: Counter[str] = Counter()
        for run in runs:
            self.add(run)

    def add(self, run: CheckedRun) -> None:
        """One more."""
        self._runs += 1
        self._failed += run.fails
        self._skipped += run.entry["skipped"] is not None
        if run.counts:
            self._fired.update(verdict["check"] for verdict in run.entry["verdicts"] if verdict["fired"])

    @property
    def summary(self) -> dict[str, Any]:
        """`runs` are all that are listed; `fired` is in how many each check found what it looks for, warnings too."""
        return {
            "runs": self._runs,
            "failed_runs": self._failed,
            "skipped_runs": self._skipped,
            "fired": dict(sorted(self._fired.items())),
        }

    @property
    def headline(self) -> str:
        """`7 runs checked, 6 failed by checks`. Runs whose test failed otherwise are not among those."""
        checked = self._runs - self._skipped
        return f"{counted(checked, 'run')} checked, {self._failed} failed by checks"


class Report(Protocol):
    """A file that tells of runs as they come, so that whoever writes it keeps none of them."""

    def add(self, run: CheckedRun) -> None:
        """One more run. Raises OSError."""
        ...

    def close(self) -> None:
        """That were all. Raises OSError."""
        ...
