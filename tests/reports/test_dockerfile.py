"""The Dockerfile, as far as it can be checked where no container engine runs."""

from __future__ import annotations

import json
import re
from pathlib import Path

from typer.testing import CliRunner

from squall.cli.app import app

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "Dockerfile").read_text(encoding="utf-8")


def test_what_it_copies_is_there_and_gets_into_the_context():
    copied = [name for line in re.findall(r"^COPY (?!--from)(.+) \S+$", TEXT, re.MULTILINE) for name in line.split()]
    names = [name.removeprefix("./") for name in copied]
    assert {"pyproject.toml", "src", "scenarios"} <= set(names)
    assert all((ROOT / name).exists() for name in names)
    allowed = (ROOT / ".dockerignore").read_text(encoding="utf-8").splitlines()
    assert allowed[0] == "*"
    assert {f"!{name}" for name in names} <= set(allowed)


def test_its_command_is_one_that_squall_understands(tmp_path):
    [words] = re.findall(r"^CMD (.+)$", TEXT, re.MULTILINE)
    places = {"/scenarios": str(ROOT / "scenarios/timeout.toml"), "0..4": "0"}
    command = [places.get(word, word.replace("/out", str(tmp_path))) for word in json.loads(words)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    assert (tmp_path / "report.html").exists()


def test_it_says_that_nobody_ran_it():
    assert "Checked by reading alone: no container engine ran where this was written." in TEXT
