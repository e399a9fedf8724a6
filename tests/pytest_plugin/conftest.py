"""Sessions inside a session: a user's test file, run by a pytest that has squall's plug-in."""

from __future__ import annotations

import os
import xml.etree.ElementTree as ET
from importlib.metadata import entry_points
from pathlib import Path

import pytest

import _squall_pytest
import squall.pytest_plugin.door  # kept loaded, or every inner session would import it anew

INSTALLED = any(point.value == "_squall_pytest" for point in entry_points(group="pytest11"))
PLUGIN = () if INSTALLED else ("-p", "_squall_pytest")
OTHERS = ("-p", "no:randomly", "-p", "no:hypothesispytest", "-p", "no:cov", "-p", "no:timeout", "-p", "no:rerunfailures")
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
        return list(ET.parse(self.folder / "junit.xml").getroot().iter("testcase"))


@pytest.fixture
def session(pytester, monkeypatch):
    """`session(code, *args, plugins=(), apart=False)` runs pytest over a test file; `apart` in a process of its own."""
    pytester.makeini(INI)
    source = str(Path(_squall_pytest.__file__).parent)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, [source, os.environ.get("PYTHONPATH")])))

    def run(code=None, *args, plugins=(), apart=False):
        if code is not None:
            pytester.makepyfile(test_it=code)
        others = [name for name in OTHERS if not any(plugin in name for plugin in plugins)]
        others = [name for pair in zip(OTHERS[::2], OTHERS[1::2], strict=True) for name in pair if pair[1] in others]
        how = pytester.runpytest_subprocess if apart else pytester.runpytest_inprocess
        return Session(how(*PLUGIN, *others, "--junitxml=junit.xml", *args), pytester.path)

    return run
