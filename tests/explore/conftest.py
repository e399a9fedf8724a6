"""The simulated agents, which lie beside the tests and are loaded from their file."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import pytest


def load():
    name = "explore_toys"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, Path(__file__).with_name("toys.py"))
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def pytest_generate_tests(metafunc):
    if "toy" in metafunc.fixturenames:
        metafunc.parametrize("toy", load().TOYS, ids=lambda toy: toy.name)


@pytest.fixture(scope="session")
def toys():
    return load()
