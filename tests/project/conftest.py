"""Where the repository is, and which files are in it."""

from __future__ import annotations

import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def root() -> Path:
    return ROOT


@pytest.fixture(scope="session")
def pyproject() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def tracked() -> dict[str, str]:
    """The text of every file in the repository, by its path."""
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout: which files belong to the repository is known to git alone")
    listing = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    paths = [path for path in listing.split("\0") if (ROOT / path).is_file()]
    return {path: (ROOT / path).read_text(encoding="utf-8", errors="replace") for path in paths}


@pytest.fixture(scope="session")
def python_files(tracked: dict[str, str]) -> dict[str, str]:
    return {path: text for path, text in tracked.items() if path.endswith(".py")}
