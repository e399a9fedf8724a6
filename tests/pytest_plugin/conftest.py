"""Sessions inside a session: a user's test file, run by a pytest that has squall's plug-in."""

from __future__ import annotations

import gc
import os
import pkgutil
import warnings
import xml.etree.ElementTree as ET
from importlib import import_module
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest

import _squall_pytest
import squall
from squall.capture import hooks

ROOMS = ("pytest_plugin", "runs", "clock")
LOADED = [  # here, or every inner session would import all of it anew, and what is patched once would be patched again
    import_module(found.name)
    for room in ROOMS
    for found in pkgutil.walk_packages([str(Path(squall.__path__[0]) / room)], f"squall.{room}.")
]
INSTALLED = any(point.value == "_squall_pytest" for point in entry_points(group="pytest11"))
PLUGIN = () if INSTALLED else ("-p", "_squall_pytest")
OTHERS: tuple[str, ...] = (
    "hypothesispytest",
    "timeout",
    "rerunfailures",
    "langsmith_plugin",
)  # plug-ins that inner sessions do without unless they name them
LEAKY = version("pytest-asyncio") < "1.3"  # it leaves event loops open, which any later test is then blamed for
INI = "[pytest]\nasyncio_default_fixture_loop_scope = function\n"


class Session:
    """What came of one inner session."""

    def __init__(self, result: pytest.RunResult, folder):
        self.result, self.folder = result, folder
        self.ret = result.ret
        self.text = result.stdout.str() + result.stderr.str()

    @property
    def counts(self) -> dict[str, int]:
        """{"passed": 3, "failed": 1}"""
        return self.result.parseoutcomes()

    def line(self, start: str) -> str:
        """The first line of the output that begins so."""
        return next(line for line in self.text.splitlines() if line.startswith(start))

    @property
    def junit(self) -> list[ET.Element]:
        tree = ET.parse(self.folder / "junit.xml")  # noqa: S314 - what this very session wrote
        return list(tree.getroot().iter("testcase"))


@pytest.fixture
def session(pytester, monkeypatch):
    """`session(code, *args, plugins=(), apart=False)` runs pytest over a test file; `apart` in a process of its own."""
    pytester.makeini(INI)
    for name in ("CI", "BUILD_NUMBER"):  # where these are set, pytest cuts no line of its short summary
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("COLUMNS", "120")
    source = str(Path(_squall_pytest.__file__).parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")])))

    def run(code=None, *args, plugins=(), apart=False):
        if code is not None:
            pytester.makepyfile(test_it=code)
        anew = apart or any(arg.startswith("-n") for arg in args)
        others = [*OTHERS, *(("anyio",) if anew else ())]  # which would bring trio into each process
        others = [word for name in others if name not in plugins for word in ("-p", f"no:{name}")]
        args = (*args, *(("-W", "ignore::ResourceWarning") if LEAKY else ()))
        how = pytester.runpytest_subprocess if apart else pytester.runpytest_inprocess
        done = Session(how(*PLUGIN, *others, "--junitxml=junit.xml", *args), pytester.path)
        if LEAKY:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ResourceWarning)
                gc.collect()
        return done

    before = hooks.installed()
    yield run
    if not before:  # inner sessions in this process leave them on, and tests that come later would be captured
        hooks.uninstall()


SHOP = """
name: shop
seed: 5
services:
  orders:
    records:
      order: { id: str, status: enum[placed, delivered], total: float }
    seed: { count: 3 }
    operations:
      get_order: { kind: get, record: order }
  payments:
    records:
      refund: { id: str, order: ref[orders.order], amount: float }
    operations:
      issue_refund: { kind: create, record: refund, required: [order, amount] }
"""


@pytest.fixture
def shop(pytester):
    """The world file `shop.yaml` beside the test file."""
    path = pytester.path / "shop.yaml"
    path.write_text(SHOP, encoding="utf-8")
    return path
