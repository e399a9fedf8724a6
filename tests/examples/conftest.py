"""Runs the examples as a user would: in a process of their own, with what pytest wrote about it."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def surroundings():
    """The environment without this session's pytest, the user's keys, and caches beside the examples; in wide lines."""
    mine = ("PYTEST_", "SQUALL_EXAMPLE_", "OPENAI_", "ANTHROPIC_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(mine)}
    others = "-p no:langsmith_plugin -p no:hypothesispytest -p no:anyio"  # plug-ins that cost each process a second
    return kept | {"PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "200", "PYTEST_ADDOPTS": others}


@pytest.fixture
def examples(tmp_path):
    """A copy to change, with the scenarios beside it."""
    ignored = shutil.ignore_patterns("__pycache__", ".pytest_cache")
    shutil.copytree(EXAMPLES.parent / "scenarios", tmp_path / "scenarios", ignore=ignored)
    return shutil.copytree(EXAMPLES, tmp_path / "examples", ignore=ignored)


@pytest.fixture
def run_pytest(tmp_path, surroundings):
    """Runs pytest with `arguments` in `folder`: its exit status, what it printed, each test's outcome by its name."""

    def run(folder, *arguments):
        report = tmp_path / "report.xml"
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--junitxml={report}", *arguments]
        done = subprocess.run(
            command, cwd=folder, env=surroundings, capture_output=True, text=True, timeout=100, check=False
        )
        cases = ElementTree.parse(report).iter("testcase")  # noqa: S314 - pytest's own file
        return done.returncode, done.stdout + done.stderr, {case.attrib["name"]: outcome(case) for case in cases}

    return run


@pytest.fixture(scope="session")
def load():
    """Imports a file of the examples, under a name that meets no other's."""

    def load(path):
        name = f"of_the_{path.parent.name}_{path.stem}"
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = sys.modules[name] = importlib.util.module_from_spec(spec)  # dataclasses look their module up
        spec.loader.exec_module(module)
        return module

    return load


def outcome(case):
    return next((child.tag for child in case if child.tag in {"failure", "error", "skipped"}), "passed")
