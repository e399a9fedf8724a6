"""A schedule in, what came of the test under it out.

The whole test is run again, with fresh fixtures. Knows how a run gets its weather, not which schedules are worth it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import NamedTuple

import pytest
from _pytest.runner import runtestprotocol

from squall.explore import Observed, Schedule
from squall.pytest_plugin.exploring import enclosing
from squall.pytest_plugin.exploring.judging import beside, judged
from squall.pytest_plugin.exploring.once import Again, Phase, Subtest
from squall.pytest_plugin.run import run_of
from squall.runs.air import blowing
from squall.runs.exploring.catalog import Catalog
from squall.runs.exploring.details import Details, details_of
from squall.runs.exploring.weather import Weather
from squall.trace import Trace
from squall.worlds.file.loading import load

NO_TRACEBACKS = "no"  # as in pytest's --tb=no


class Unexplorable(Exception):
    """A run of the test has built no run of squall's."""


class Shown(NamedTuple):
    """A run as it can be reported: its phases, the failed subtests, its trace (None where it has begun no run)."""

    phases: list[Phase]
    subtests: tuple[Subtest, ...] = ()
    trace: Trace | None = None

    @property
    def reports(self) -> list[pytest.TestReport]:
        """The reports of its phases."""
        return [phase.report for phase in self.phases]


class Executor:
    """Runs one item under schedules. `bad` holds the last run of each failure; `weather` blows now, None between runs.

    `last` is the run that was made last. While it is `brief`, the reports of failures are made without tracebacks,
    which take longer than the run. `asks`: the test has asked a model in a run that was none of squall's; `alone` is
    the last run before one was built around it.
    """

    def __init__(self, item: pytest.Function, kinds: Collection[str] = (), seed: int | None = None) -> None:
        self.item = item
        self.weather: Weather | None = None
        self.subtests: list[Subtest] = []
        self.bad: dict[str, Shown] = {}
        self.last: Shown = Shown([])
        self.brief = self.asks = False
        self.alone: Shown | None = None
        self._seed = seed
        self._again = Again(item)
        self._run = run = run_of(item)
        if run is not None:
            run.loaded = None if run.asked.world is None else load(run.asked.world)
        self._catalog = Catalog(kinds)
        self._made: Weather | None = None
        self._built = False

    def __call__(self, schedule: Schedule, /) -> Observed:
        """One run. Raises Unexplorable."""
        return self.under(Weather(schedule))

    def under(self, weather: Weather) -> Observed:
        """One run in this weather. Raises Unexplorable."""
        self.subtests = []
        watched: AbstractContextManager[list[str]] = nullcontext([]) if self._built else enclosing.watched()
        with watched as asked, self._blowing(weather), blowing(weather), self._reporting():
            phases = self._again()
        self.last = Shown(phases, tuple(self.subtests), None if weather.run is None else weather.run.trace)
        self._made = weather
        observed = judged(weather, self._catalog, phases, self.subtests)
        if observed is None and not self._built:
            self.asks = bool(asked)
            raise Unexplorable
        if observed is None:  # where others have, it has not come so far
            status, failure, message = beside(phases, self.subtests)
            observed = Observed(status=status, failure=failure, message=message)
        self._built = True
        if observed.bad:
            self.bad[observed.what] = self.last
        return observed

    def enclose(self) -> None:
        """Build a run of squall's around the test from now on."""
        self.alone = self.last
        self._run = enclosing.enclose(self.item)

    @property
    def has_own_faults(self) -> bool:
        """Whether the test names faults of its own, which are not in force in these runs."""
        return self._run is not None and self._run.asked.faults is not None

    def plainly(self) -> Shown:
        """One run as if nobody explored, with the test's own faults."""
        self.subtests = []
        phases = self._again()
        return Shown(phases, tuple(self.subtests))

    def openly(self, schedule: Schedule) -> None:
        """One run as pytest runs an item: a debugger opens where it fails."""
        weather = Weather(schedule)
        self._again.reset()
        with self._blowing(weather), blowing(weather):
            runtestprotocol(self.item, log=False, nextitem=self.item.parent)  # type: ignore[arg-type]  # a node will do

    @property
    def details(self) -> Details:
        """More of the run that was made last."""
        weather = self._made
        return Details() if weather is None or weather.run is None else details_of(weather.run, weather)

    def done(self) -> None:
        """No more runs: leave the item as if none had been."""
        self._again.reset()
        if self._run is not None:
            self._run.loaded = None

    @contextmanager
    def _reporting(self) -> Iterator[None]:
        option = self.item.config.option
        style = getattr(option, "tbstyle", None)  # an option of the terminal, which a session may do without
        if style is None or not self.brief:
            yield
            return
        option.tbstyle = NO_TRACEBACKS
        try:
            yield
        finally:
            option.tbstyle = style

    @contextmanager
    def _blowing(self, weather: Weather) -> Iterator[None]:
        run = self._run
        if run is not None:
            run.quiet, run.own_seed = True, self._seed
        self.weather = weather
        try:
            yield
        finally:
            self.weather = None
            if run is not None:
                run.quiet, run.own_seed = False, None
