"""The command line, called in this process as the script calls it."""

from __future__ import annotations

import sys
from typing import NamedTuple

import pytest

from squall.cli import main


class Done(NamedTuple):
    status: int
    out: str
    err: str


@pytest.fixture
def squall(monkeypatch, capsys):
    def call(*args):
        monkeypatch.setattr(sys, "argv", ["squall", *map(str, args)])
        with pytest.raises(SystemExit) as end:
            main()
        code = end.value.code
        return Done(code if isinstance(code, int) else 0, *capsys.readouterr())

    return call


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Writes a file into the working directory and gives its name."""
    monkeypatch.chdir(tmp_path)

    def make(name, text):
        (tmp_path / name).write_text(text, encoding="utf-8")
        return name

    return make


GOOD = """\
services:
  till:
    records: { sale: { id: str, amount: float } }
    operations:
      sell: { kind: create, record: sale }
faults:
  till.sell: { errors: { timeout: 0.1 } }
"""


@pytest.fixture
def good(write):
    return write("good.yaml", GOOD)
