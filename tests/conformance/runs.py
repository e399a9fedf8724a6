"""Runs over the worlds of this folder: fixtures that a room's `conftest` takes by importing them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from squall.runs.environment import Environment
from tests.conformance import fault_over_wire, services

__all__ = ["begin", "beginner", "payments", "store", "written"]


def written(folder: Path, name: str, world: str, module: str, code: str) -> Path:
    """A world as a file, with the module of its handlers beside it."""
    (folder / f"{module}.py").write_text(code, encoding="utf-8")
    path = folder / f"{name}.yaml"
    path.write_text(world, encoding="utf-8")
    return path


def beginner(*paths: Path) -> Callable[..., Environment]:
    """Begins a run with the given rules, or a whole plan; it ends when it is left.

    It is over the first of the worlds, or over another of them by its file's name.
    """
    worlds = {path.stem: path for path in paths}

    def make(*rules: Any, plan: Any = None, world: str = paths[0].stem, **options: Any) -> Environment:
        return Environment(worlds[world], faults=list(rules) if rules else plan, **options)

    return make


@pytest.fixture(scope="session")
def payments(tmp_path_factory):
    folder = tmp_path_factory.mktemp("payments")
    return written(folder, "payments", fault_over_wire.WORLD, "payment_rules", fault_over_wire.RULES)


@pytest.fixture(scope="session")
def store(tmp_path_factory):
    return written(tmp_path_factory.mktemp("store"), "store", services.WORLD, "store_rules", services.RULES)


@pytest.fixture
def begin(payments, store):
    """Begins a run over `payments`, or over `store` where that is asked for."""
    return beginner(payments, store)
