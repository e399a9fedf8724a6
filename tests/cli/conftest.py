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


REFUND = """\
[scenario]
name = "refund"
seed = 1

[[steps]]
tool = "get_order"
arguments = { order = "7" }
result = { order = "7", total = 40 }
writes = false

[[steps]]
tool = "issue_refund"
arguments = { order = "7", amount = 40 }
result = { refund = "r_1" }

[[faults]]
kind = "timeout"
step = 1
"""
"""A refund whose reply is lost: `resilient` passes, `careless` pays twice, `baseline` fails."""
STRATEGIES = '''\
"""Strategies of a user's own: one that promises nothing, one that is interrupted, one that is not repeatable."""

import itertools
import signal

from squall.strategies import Result

ASKED = itertools.count()


class Plain:
    name = "plain"

    async def run(self, task, env):
        return Result("completed", [await env.call(step) async for step in env.steps()])


class Interrupted(Plain):
    name = "interrupted"
    deterministic = True
    at = 3

    async def run(self, task, env):
        if next(ASKED) == self.at:
            signal.raise_signal(signal.SIGINT)
        return await super().run(task, env)


class Fickle(Plain):
    name = "fickle"

    async def run(self, task, env):
        if next(ASKED) % 2:
            await env.call("find_result", {"step": 0})
        return await super().run(task, env)


class Rude(Plain):
    name = "rude"
    deterministic = True

    async def run(self, task, env):
        return Result("completed", "\\x1b[2J\\u202egone\\n" + "a" * 100_000)


class Crashing(Plain):
    name = "crashing"
    deterministic = True

    async def run(self, task, env):
        try:
            return await super().run(task, env)
        except TimeoutError:
            raise KeyError("no plan for this") from None
'''


@pytest.fixture
def refund(write):
    return write("refund.toml", REFUND)


@pytest.fixture
def calm(write):
    """The same where nothing goes wrong."""
    return write("calm.toml", REFUND.partition("[[faults]]")[0].replace('"refund"\nseed', '"calm"\nseed'))


@pytest.fixture
def own(write, monkeypatch, tmp_path):
    """A module of strategies that Python finds, under a name of its own in each test."""
    name = f"strategies_{tmp_path.name.replace('-', '_')}"
    write(f"{name}.py", STRATEGIES)
    monkeypatch.syspath_prepend(str(tmp_path))
    return name
