"""Scenarios that a test writes down, run with any object as their strategy."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from squall.runs.lab import inputs_of, run_one
from squall.runs.scenario import load_scenario
from squall.runs.strategies.finding import Chosen, _chosen, strategy_named
from squall.strategies import Result
from squall.trace import Trace
from tests.runs.strategies.scenarios import SCRIPT, WORLD


class Ran:
    """A run that is over: its record, and what its trace tells."""

    def __init__(self, ran):
        self.record, self.lines = ran
        self.trace = Trace(list(ran.lines))

    def __getattr__(self, name):
        return getattr(self.record, name)

    def events(self, kind):
        return [event for _, event in self.trace if type(event).__name__ == kind]

    @property
    def starts(self):
        """When each tool was called, and each request made, in virtual seconds."""
        return [at.t for at, event in self.trace if type(event).__name__ in ("ToolCall", "Attempt")]

    @property
    def seconds(self):
        return [envelope.t for envelope, _ in self.trace][-1]


@pytest.fixture
def lab(tmp_path):
    """`lab.run(scenario, strategy, seed=…)`: the text of a scenario, and an object, a class or a name."""

    def scenario(text, world=WORLD, script=SCRIPT, **files):
        for name, content in {"world.yaml": world, "script.toml": script, **files}.items():
            (tmp_path / name).write_text(content, encoding="utf-8")
        path = tmp_path / "scenario.toml"
        path.write_text(text, encoding="utf-8")
        return load_scenario(path)

    def run(text, strategy, **options):
        (ran,) = runs(text, [strategy], **options).values()
        return ran

    def runs(text, strategies, *, seed=None, **files):
        found = scenario(text, **files)
        seed = found.seed if seed is None else seed
        rans = {}
        for strategy in map(chosen, strategies):
            rans[strategy.id.name] = Ran(run_one(found, strategy, inputs_of(found, strategy, seed=seed)))
        return rans

    return SimpleNamespace(scenario=scenario, run=run, runs=runs)


def chosen(strategy):
    """A strategy by its name, or any object."""
    if isinstance(strategy, Chosen):
        return strategy
    return strategy_named(strategy) if isinstance(strategy, str) else _chosen(strategy, "test")


@pytest.fixture
def doing(lab):
    """`doing(scenario, fn)`: a run in which `await fn(task, env)` is all that the strategy does; what it gives."""

    def run(text, fn, **options):
        given = []

        class Doing:
            name = "doing"

            async def run(self, task, env):
                given.append(await fn(task, env))
                return Result("completed")

        ran = lab.run(text, Doing(), **options)
        assert given, ran.reasons
        return given[0]

    return run
