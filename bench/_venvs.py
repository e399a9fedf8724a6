"""Virtual environments for comparisons, each made once under build/bench. Knows pip and no measurement."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import venv
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path

from _table import MADE, ROOT


def python_of(name: str, *requirements: str) -> Path:
    """The interpreter of a venv in which `requirements` are installed."""
    home = MADE / name
    python, ready = home / "bin" / "python", home / "ready"
    wanted = "\n".join(requirements)
    if not ready.is_file() or ready.read_text() != wanted:
        shutil.rmtree(home, ignore_errors=True)
        venv.create(home, with_pip=True)
        install(python, *requirements)
        ready.write_text(wanted)
    return python


def install(python: Path | str, *arguments: str) -> None:
    """`pip install` in the venv of `python`."""
    done = run(python, "-m", "pip", "install", "--quiet", *arguments)
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]


def pinned(*names: str) -> list[str]:
    """Requirements for the versions that are installed here."""
    return [f"{name}=={version(name)}" for name in names]


def wheel() -> str:
    """squall as it is now, built into a wheel."""
    pip = ("-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation", "-w", str(MADE))
    done = run(sys.executable, *pip, str(ROOT))
    assert done.returncode == 0, (done.stdout + done.stderr)[-2000:]
    return str(MADE / f"squall-{version('squall')}-py3-none-any.whl")


def run(
    python: Path | str, *args: str, cwd: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """A process that may keep its byte code, as a user's does. Its exit status is the caller's to judge."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYTEST", "COVERAGE"))}
    command = [str(python), *args]
    return subprocess.run(command, cwd=cwd, env={**own, **(env or {})}, check=False, capture_output=True, text=True)
