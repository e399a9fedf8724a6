"""A kept failure met again: exactly first, and where a fault finds no call, at the one that arrives as the same.

Replaying, exploring and pytest meet failures in this one way. Knows how to make a run only by what it is given.
"""

from __future__ import annotations

from collections.abc import Container
from pathlib import Path
from typing import NamedTuple, Protocol

from pydantic import ValidationError

from squall.decide import Point
from squall.errors import Problem, UsageError
from squall.explore import Observed, Schedule
from squall.runs.exploring import catalog, keeping
from squall.runs.exploring.details import Details
from squall.runs.exploring.keeping import Replayed
from squall.runs.exploring.search import Found
from squall.runs.exploring.weather import Weather
from squall.store.regressions import Regression

BY_ARRIVAL = "not exactly, but at the same arrival"


class Runs(Protocol):
    """Who runs what has failed."""

    def under(self, weather: Weather, /) -> Observed:
        """One run in this weather."""

    @property
    def details(self) -> Details:
        """More of the run that was made last."""


class Met(NamedTuple):
    """The run that came nearest to the failure, and what it means."""

    observed: Observed
    details: Details
    replayed: Replayed


class Known(NamedTuple):
    """A failure that is kept already. `moved` where its faults stand at other points than in the file."""

    path: Path
    regression: Regression
    schedule: Schedule
    moved: bool = False

    def is_what(self, found: Found) -> bool:
        """Whether it is the failure that was found."""
        return self.schedule == found.schedule and keeping.same(self.regression.violated, found.observed.what)


def known(path: Path, regression: Regression) -> Known:
    """A failure as it stands in its file. Raises UsageError where that names faults that there are not."""
    schedule = keeping.schedule_of(regression)
    try:
        Weather(schedule).slots()
    except (LookupError, ValidationError) as error:
        near = catalog.nearest_to(str(error)) if isinstance(error, LookupError) else None
        hint = "Install the package that has this kind of fault, or delete the file."
        what = f"{path}: a fault of this file cannot be made here: {error}"
        raise UsageError(Problem(what, nearest=near, hint=hint)) from None
    return Known(path, regression, schedule)


def meet(regression: Regression, runs: Runs) -> Met:
    """Run it again: once exactly, and once more leniently where a fault has not found its point."""
    exactly = _under(regression, runs, lenient=False)
    found = _within(keeping.schedule_of(regression), exactly.details.met)
    return exactly if found or exactly.replayed.how != "fault not fired" else _under(regression, runs, lenient=True)


def found_again(kept: Known, runs: Runs, calm: Container[Point]) -> Known:
    """The failure with its faults at the points where they strike by now. `calm` are those of a run without faults."""
    if _within(kept.schedule, calm):
        return kept
    met = meet(kept.regression, runs)
    if not met.replayed.leniently or not _within(kept.schedule, met.details.met):
        return kept
    there = keeping.moved(kept.regression, met.details.met)
    return Known(kept.path, there, keeping.schedule_of(there), moved=True)


def _under(regression: Regression, runs: Runs, *, lenient: bool) -> Met:
    schedule = keeping.schedule_of(regression)
    observed = runs.under(Weather(schedule, lenient=lenient, arrivals=keeping.arrivals_of(regression)))
    details = runs.details
    return Met(observed, details, keeping.compare(regression, observed, details))


def _within(schedule: Schedule, points: Container[Point]) -> bool:
    """Whether all of a schedule's points are among these."""
    return all(choice.point in points for choice in schedule)
