"""A scenario of two steps and one fault, run by whatever a test wants done."""

from __future__ import annotations

from typing import Any

import pytest

from squall.runs.lab import inputs_of, run_one
from squall.runs.scenario import load_scenario
from squall.runs.strategies import Result
from squall.runs.strategies.finding import _chosen, strategy_named
from tests.runs.scenario.texts import STEPPED


@pytest.fixture
def lab(tmp_path):
    """`lab(fault, strategy)`: the record of a run; a strategy is an object or a name."""

    def run(fault, strategy):
        path = tmp_path / "scenario.toml"
        path.write_text(f"{STEPPED}\n[[faults]]\n{fault}\n", encoding="utf-8")
        scenario = load_scenario(path)
        chosen = strategy_named(strategy) if isinstance(strategy, str) else _chosen(strategy, "test")
        return run_one(scenario, chosen, inputs_of(scenario, chosen, seed=0)).record

    return run


@pytest.fixture
def stepped(lab):
    """`stepped(fault, fn)`: what `await fn(env, steps)` gives in a run that has the fault."""

    def run(fault, fn, status=None):
        given: list[Any] = []

        class Doing:
            name = "doing"

            async def run(self, task, env):
                given.append(await fn(env, task.steps))
                return Result("completed", "done")

        record = lab(fault, Doing())
        assert given, record.reasons
        assert status != "not_fired" or not any(each.fired for each in record.faults)
        return given[0]

    return run
