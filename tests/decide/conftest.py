"""Calls to make and the conformance suite, which lies beside the rooms and is loaded from its file."""

from __future__ import annotations

import importlib.util
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import pytest

from squall.call import Target
from squall.decide import Decider, Decision, Point, Situation, digest_of

SUITE = Path(__file__).parents[1] / "conformance" / "decider.py"
TARGET = "orders.get_order"


def load(path):
    name = f"conformance_{path.stem}"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def pytest_generate_tests(metafunc):
    if "check" in metafunc.fixturenames:
        metafunc.parametrize("check", load(SUITE).CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))


@pytest.fixture(scope="session")
def suite():
    return load(SUITE)


class Agent:
    """Makes calls as the place that asks deciders does: names their points by what was asked before."""

    def __init__(self, decider: Decider) -> None:
        self.decider = decider
        self.equal: Counter[tuple[str, str, str]] = Counter()

    def call(
        self,
        args: Mapping[str, Any] | None = None,
        *,
        target: str = TARGET,
        scope: str = "",
        at: float = 0.0,
        age: Callable[[float], float | None] = lambda _: None,
        schemas: Mapping[str, Mapping[str, Any]] | None = None,
    ) -> Decision:
        args = args or {}
        digest, _ = digest_of(args, (), ())
        self.equal[scope, target, digest] += 1
        point = Point("tool", scope, target, digest, self.equal[scope, target, digest])
        described = Target(target, target.partition(".")[2], schemas=schemas or {})
        return self.decider.decide(Situation(described, point, args, at, age))

    def calls(self, number: int, **rest: Any) -> list[Decision]:
        return [self.call(**rest) for _ in range(number)]

    def each(self, args: Iterable[Mapping[str, Any]], **rest: Any) -> list[Decision]:
        return [self.call(one, **rest) for one in args]


@pytest.fixture
def agent():
    """`agent(decider)` gives something that makes calls."""
    return Agent
