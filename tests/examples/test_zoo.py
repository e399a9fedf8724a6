"""examples/zoo: each bug is found by exploration, each repaired twin stays green, each failure replays elsewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import squall

FOLDER = Path(__file__).parents[2] / "examples/zoo"
NAMES = re.findall(r'^        Pair\(\s*"(\w+)"', (FOLDER / "zoo.py").read_text(encoding="utf-8"), re.MULTILINE)
ROW = re.compile(r"^\| (`\w+`) \| [^|]+ \| ([^|]+) \| (\d) \| (\d+) \|$", re.MULTILINE)
FEW = 20  # runs in which a bug of one fault is found


@pytest.fixture(scope="module")
def zoo(load):
    with pytest.MonkeyPatch.context() as patched:
        patched.syspath_prepend(str(FOLDER))
        patched.setenv("OPENAI_API_KEY", "none")
        yield load(FOLDER / "zoo.py")
    for name in [*NAMES, "chat", "failures"]:
        sys.modules.pop(name, None)


@pytest.fixture(scope="module")
def find(zoo):
    """Explores up to the bug of a pair, once."""
    return cache(lambda name: zoo.PAIRS[name].find())


@pytest.mark.parametrize("name", NAMES)
def test_a_bug_is_found_with_just_so_many_faults_as_it_needs(zoo, find, name):
    explored = find(name)
    (found,) = explored.found
    assert explored.baseline.status == "passed"
    assert len(found.schedule) == zoo.PAIRS[name].faults
    assert found.minimal
    assert found.finding.first <= FEW


def test_a_bug_that_needs_two_faults_is_not_found_with_one(zoo):
    (pair,) = (pair for pair in zoo.PAIRS.values() if pair.faults > 1)
    assert pair.explore("buggy", 1).found == ()


@pytest.mark.parametrize("name", NAMES)
def test_a_repaired_twin_stands_every_pair_of_faults(zoo, name):
    explored = zoo.PAIRS[name].explore("repaired", 2)
    assert explored.found == ()
    assert [share.faults for share in explored.coverage.shares] == [1, 2]
    for share in explored.coverage.shares:
        assert share.covered + share.never_fired == share.possible


def test_failures_replay_in_a_new_process_and_in_another_folder(zoo, find, tmp_path, surroundings):
    assert len(zoo.PAIRS) == len(NAMES) == 12
    kept = [pair.keep(find(name), tmp_path / "found") for name, pair in zoo.PAIRS.items()]
    moved = shutil.copytree(FOLDER, tmp_path / "moved", ignore=shutil.ignore_patterns("__pycache__"))
    done = subprocess.run(
        [sys.executable, moved / "zoo.py", "replay", *kept],
        cwd=tmp_path,
        env=surroundings | {"OPENAI_API_KEY": "none"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert [line.split(": ")[:2] for line in lines] == [[name, "reproduced"] for name in zoo.PAIRS], done.stderr


def test_the_readme_has_a_row_for_each_as_it_is_found(zoo, find):
    rows = {row[0].strip("`"): list(row) for row in ROW.findall((FOLDER / "README.md").read_text(encoding="utf-8"))}
    assert rows == {name: zoo.row(pair, find(name)).strip("| ").split(" | ") for name, pair in zoo.PAIRS.items()}


@pytest.mark.parametrize(("agent", "bad"), [("trusting_agent", True), ("checking_agent", False)])
def test_a_bug_of_an_sdk_is_found_with_the_usual_faults(load, monkeypatch, agent, bad):
    provider = FOLDER.parent / "provider"
    monkeypatch.syspath_prepend(str(provider))
    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    payment, judge = load(provider / "truncated_payment.py"), load(provider / "test_truncated_payment.py")

    def pays(run):
        run.model.script(*judge.SCRIPT)
        tools = run.tools
        getattr(payment, agent)(judge.WISH, tools.anthropic(), lambda name, arguments: tools[name](**arguments))

    explored = squall.find_failures(
        pays,
        provider / "worlds" / "refunds.yaml",
        holds=lambda run: judge.only_the_bulb_is_paid_back(run.world),
        targets=("model.*",),
        crashes=False,
    )
    assert [found.observed.message for found in explored.found] == ["12.50 should be paid back, and 0.01 was"] * bad


def test_the_page_on_finding_power_has_the_same_runs(zoo, find):
    page = (FOLDER.parents[1] / "docs" / "finding-power.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| (\d) \| (\d+) \| (\d+) \|", page, re.MULTILINE)
    assert rows == [
        (name, str(pair.faults), str(find(name).coverage.shares[0].possible), str(find(name).found[0].finding.first))
        for name, pair in zoo.PAIRS.items()
    ]
