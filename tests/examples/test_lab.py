"""examples/lab: a strategy of one's own over three scenarios; its README shows what comes."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[2] / "examples/lab"
README = (FOLDER / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"^```console\n\$ squall (.+)\n((?:.*\n)*?)```$", README, re.MULTILINE)


def narrow(text):
    """Lines as they are, however wide the columns of a table."""
    return [re.sub("  +", "  ", line.rstrip()) for line in text.splitlines()]


@pytest.mark.parametrize(("command", "shown"), SHOWN, ids=[command.split()[0] for command, _ in SHOWN])
def test_the_readme_shows_what_comes(command, shown, tmp_path, surroundings):
    words = [str(tmp_path) if word == "runs" else word for word in shlex.split(command)]
    done = subprocess.run(
        [sys.executable, "-m", "squall", *words],
        cwd=FOLDER,
        env=surroundings | {"COLUMNS": "100", "NO_COLOR": "1", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=False,
        timeout=100,
    )
    pattern = "".join(
        r"(?:.*\n)*?" if line == "…" else re.escape(line).replace("…", ".*") + "\n" for line in narrow(shown)
    )
    assert re.fullmatch(pattern, "".join(f"{line}\n" for line in narrow(done.stdout))), done.stdout + done.stderr
    assert done.returncode == 1  # somebody fails


def test_the_files_that_the_readme_names_are_there():
    links = re.findall(r"\]\(([^)]+)\)", README)
    assert len(links) >= 5
    assert [link for link in links if not (FOLDER / link).exists()] == []
    assert len(SHOWN) == 2
