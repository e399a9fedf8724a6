"""Scenarios that a test writes down: loaded, refused, run."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from squall.errors import UsageError
from squall.runs.lab import inputs_of, run_one
from squall.runs.scenario import load_scenario
from squall.runs.strategies.finding import Chosen, _chosen, strategy_named
from tests.runs.scenario.texts import SCRIPT, WORLD

Named = str | Chosen | Any


class Lab:
    """Writes files into a folder of its own. `world.yaml` and `script.toml` are there already."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.write("world.yaml", WORLD)
        self.write("script.toml", SCRIPT)

    def write(self, name: str, text: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="")
        return path

    def load(self, text: str, name: str = "scenario.toml", **options: Any) -> Any:
        return load_scenario(self.write(name, text), **options)

    def wrong_with(self, text: str, name: str = "scenario.toml", **options: Any) -> list[str]:
        """Each problem in its own words, with its place, without the folder and its hint."""
        with pytest.raises(UsageError) as caught:
            self.load(text, name, **options)
        return [str(each._replace(hint=None)).replace(f"{self.folder}/", "") for each in caught.value.problems]

    def told(self, text: str) -> str:
        """All that is said, hints and all."""
        with pytest.raises(UsageError) as caught:
            self.load(text)
        return str(caught.value).replace(f"{self.folder}/", "")

    def run(self, what: Any, strategy: Named = "baseline", seed: int | None = None) -> Any:
        """The record and the lines of a run of a scenario, or of the text of one."""
        scenario = self.load(what) if isinstance(what, str) else what
        chosen = strategy if isinstance(strategy, Chosen) else None
        chosen = chosen or (strategy_named(strategy) if isinstance(strategy, str) else _chosen(strategy, "test"))
        return run_one(scenario, chosen, inputs_of(scenario, chosen, seed=scenario.seed if seed is None else seed))


@pytest.fixture
def lab(tmp_path: Path) -> Lab:
    return Lab(tmp_path)


@pytest.fixture
def doing(lab: Lab) -> Any:
    """`doing(text, fn)`: the record of a run in which `await fn(env)` is all that the strategy does."""

    def run(text: str, fn: Any) -> Any:
        class Doing:
            name = "doing"

            async def run(self, _task: Any, env: Any) -> Any:
                return SimpleNamespace(status="completed", answer=await fn(env))

        return lab.run(text, Doing())

    return run
