"""Exploring a scenario with a strategy, in this process or in several; the scenario's own faults stay away."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from squall.errors import Problem, UsageError
from squall.explore import Observed, Schedule
from squall.runs import workers
from squall.runs.environment import Environment
from squall.runs.exploring.altering import Altering, Noticed, noticed
from squall.runs.exploring.executing import Runner
from squall.runs.exploring.keeping import Replayed, regression_of
from squall.runs.exploring.meeting import meet
from squall.runs.exploring.search import Found, Many
from squall.runs.lab import Alter, Doing
from squall.runs.scenario import Scenario, load_scenario, scenario_from
from squall.runs.strategies.finding import Chosen, strategy_named
from squall.store.regressions import Regression

NO_COMMANDS = Problem(
    "a command cannot be explored: it is another process, whose calls cannot be kept in virtual time, "
    "so that no run of it could be made again",
    hint="Run it under the faults that scenarios name: squall suite SCENARIO --command 'node agent.js'. "
    "What can be explored are strategies in Python: --strategy module:name.",
)
CHUNK = 8
"""Schedules that a process takes at a time."""


class Subject(NamedTuple):
    """What is explored."""

    scenario: Scenario
    strategy: Chosen
    seed: int
    may_give_up: bool = False

    @property
    def name(self) -> str:
        """What failures are filed under."""
        return f"{self.scenario.name} × {self.strategy.id.name}"


def runner(subject: Subject, kinds: Sequence[str] = (), alter: Alter | None = None) -> Runner:
    """Executes schedules over the scenario. Each run is one of its own. `alter` is that of `Doing`."""
    if subject.strategy.clock == "wall":
        raise UsageError(NO_COMMANDS)
    doing: list[Doing] = []

    def build() -> Environment:
        scenario, strategy, seed, may_give_up = subject
        doing[:] = [Doing(scenario, strategy, seed=seed, may_give_up=may_give_up, alter=alter)]
        return doing[0].environment()

    def act(run: Environment) -> None:
        doing[0].act(run)

    return Runner(build, act, kinds)


class Whence(NamedTuple):
    """What another process needs to explore the same."""

    path: Path
    strategy: str
    seed: int
    may_give_up: bool
    kinds: tuple[str, ...]


@contextmanager
def processes(whence: Whence, jobs: int) -> Iterator[Many]:
    """Executes many schedules at once, in so many processes."""
    with workers.pool(jobs, _begin, whence) as pool:

        def many(schedules: Sequence[Schedule]) -> list[Observed]:
            return list(pool.map(_execute, schedules, chunksize=CHUNK))

        yield many


_runner: list[Runner] = []


def _begin(whence: Whence) -> None:
    subject = Subject(load_scenario(whence.path), strategy_named(whence.strategy), whence.seed, whence.may_give_up)
    _runner[:] = [runner(subject, whence.kinds)]


def _execute(schedule: Schedule) -> Observed:
    return _runner[0](schedule)


def filed(subject: Subject, found: Found) -> Regression:
    """A failure as a file that needs nothing else: it holds the scenario and all that this names."""
    strategy = subject.strategy.id
    return regression_of(
        subject.name,
        found.schedule,
        found.observed,
        found.details,
        "squall replay FILE",
        digests={"agent": strategy.digest, "scenario": subject.scenario.digest},
        scenario={
            "data": subject.scenario.data,
            "files": dict(subject.scenario.files),
            "strategy": strategy.how or strategy.name,
            "may_give_up": subject.may_give_up,
        },
    )


def alterations(subject: Subject) -> list[Noticed] | None:
    """Whether what the scenario expects can fail: what was altered in a run without faults, and what noticed it.

    None where that run fails unaltered.
    """

    def begin(altering: Altering) -> Callable[[], Observed]:
        once = runner(subject, alter=altering)
        return lambda: once(())

    return noticed(begin)


def replay(regression: Regression) -> Replayed:
    """Run a filed failure again, from nothing but its file. Raises UsageError where it is a test's, or of no use."""
    if not regression.scenario:
        hint = f"Run it in pytest: {regression.how}"
        raise UsageError(Problem(f"this failure is that of a test, {regression.test}", hint=hint))
    kept = _whole(regression)
    strategy = strategy_named(kept.strategy)
    with tempfile.TemporaryDirectory(prefix="squall-replay-") as made:
        scenario = scenario_from(kept.data, kept.files, Path(made).resolve())
        again = runner(Subject(scenario, strategy, regression.seed, kept.may_give_up))
        met = meet(regression, again)
        return met.replayed._replace(line=met.details.line, message=met.observed.message)


class _Whole(msgspec.Struct):
    """What a failure's file holds of a scenario, as `filed` has written it."""

    data: dict[str, Any]
    files: dict[str, str]
    strategy: str
    may_give_up: bool = False


def _whole(regression: Regression) -> _Whole:
    try:
        return msgspec.convert(regression.scenario, _Whole)
    except msgspec.ValidationError as error:
        what = f"the scenario in the file of this failure, {regression.test}, is not whole: {error}"
        raise UsageError(Problem(what, hint="Explore again to have a new file.")) from None
