"""Runs an agent under schedules: builds each run, gives it its weather, and looks at it when it has ended."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from contextlib import closing
from typing import Any

from squall.clock.real import running_loop
from squall.errors import Problem, UsageError
from squall.explore import Observed, Schedule
from squall.runs.air import blowing
from squall.runs.environment import Environment
from squall.runs.exploring.catalog import Catalog
from squall.runs.exploring.details import Details, details_of, source_digest
from squall.runs.exploring.observing import observed
from squall.runs.exploring.weather import Weather

Agent = Callable[[Environment], Any]


class Runner:
    """Executes schedules with `agent(run)`, sync or async, each in a run of its own that `build()` makes."""

    def __init__(self, build: Callable[[], Environment], agent: Agent, kinds: Collection[str] = ()) -> None:
        self._build, self._agent = build, agent
        self._catalog = Catalog(kinds)
        self._last: tuple[Environment, Weather] | None = None

    def __call__(self, schedule: Schedule, /) -> Observed:
        """One run."""
        return self.under(Weather(schedule))

    def under(self, weather: Weather) -> Observed:
        """One run in this weather."""
        with blowing(weather):
            made = self._build()
        with closing(made):
            run = made.__enter__()
            error: BaseException | None = None
            try:
                came = self._agent(run)
                if inspect.isawaitable(came):
                    _to_its_end(came)
            except KeyboardInterrupt:
                raise
            except BaseException as raised:  # noqa: BLE001 - whatever an agent raises (sys.exit, too), its run is looked at
                error = raised
            run.finish(error)
        self._last = run, weather
        return observed(run, weather, self._catalog)

    @property
    def details(self) -> Details:
        """More of the run that was made last."""
        if self._last is None:
            return Details()
        found = details_of(*self._last)
        return found._replace(digests={**found.digests, **source_digest("agent", self._agent)})


def _to_its_end(came: Any) -> None:
    import asyncio  # where an agent is async alone

    if running_loop() is not None:
        if inspect.iscoroutine(came):
            came.close()
        hint = "Call it from sync code; in pytest, @pytest.mark.explore explores an async test."
        raise UsageError(Problem("an async agent was to be explored within a running event loop", hint=hint))

    async def whole() -> None:
        await came

    asyncio.run(whole())
