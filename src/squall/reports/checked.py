"""Runs that were checked, as reports tell of them: their entries, which of them fail, and what they sum up to.

Knows no file. The entry of a run is what `squall.capture.entry` makes, or whoever judges a trace.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple


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


def summary(runs: Sequence[CheckedRun]) -> dict[str, Any]:
    """`runs` are all that are listed; `fired` is in how many each check found what it looks for, warnings too."""
    fired = Counter(
        verdict["check"] for run in runs if run.counts for verdict in run.entry["verdicts"] if verdict["fired"]
    )
    return {
        "runs": len(runs),
        "failed_runs": sum(run.fails for run in runs),
        "skipped_runs": sum(run.entry["skipped"] is not None for run in runs),
        "fired": dict(sorted(fired.items())),
    }


def headline(runs: Iterable[CheckedRun]) -> str:
    """`7 runs checked, 6 with failures`."""
    runs = list(runs)
    checked = sum(run.entry["skipped"] is None for run in runs)
    return f"{checked} run{'' if checked == 1 else 's'} checked, {sum(run.fails for run in runs)} with failures"
