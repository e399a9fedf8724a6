"""The agents with planted bugs, which lie beside the tests and are loaded from their file, and their world."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest

import squall

WORLD = Path(__file__).with_name("planted.yaml")


def load():
    name = "planted_agents"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name("planted.py"))
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def pytest_generate_tests(metafunc):
    if "planted" in metafunc.fixturenames:
        metafunc.parametrize("planted", load().PLANTED, ids=lambda planted: planted.name)


@pytest.fixture(scope="session")
def agents():
    return load()


@pytest.fixture(scope="session")
def explore():
    """Tries faults on an agent of a planted bug."""

    def explore(planted, agent, depth, **options):
        options = {"holds": planted.holds, "kinds": planted.kinds} | options
        return squall.find_failures(agent, WORLD, depth=depth, **options)

    return explore


@pytest.fixture(scope="session")
def world():
    return WORLD
