"""`squall replay`: stored runs and files of failures, made again from nothing but themselves."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path

import pytest


@pytest.fixture
def stored(squall, refund):
    """The folder of a run that failed."""
    squall("run", refund, "--strategy", "careless")
    (folder,) = (path for path in Path("runs").iterdir() if not path.name.startswith("."))
    return folder


@pytest.fixture
def failure(squall, calm):
    """The file of a failure that was found."""
    squall("explore", calm, "--strategy", "careless", "--kinds", "timeout")
    return min(Path(".squall/regressions").iterdir())


def test_a_stored_run_is_made_again(squall, stored):
    done = squall("replay", stored)
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith(f"{stored}: reproduced: all ")
    assert done.out.endswith("events are equal, failed\n")


def test_its_trace_means_the_same_and_it_needs_nothing_else(squall, stored, refund, tmp_path, monkeypatch):
    Path(refund).unlink()
    (tmp_path / "else").mkdir()
    moved = shutil.move(stored, tmp_path / "else" / "moved")
    monkeypatch.chdir(tmp_path / "else")
    done = squall("replay", Path(moved) / "trace.jsonl", "--json")
    told = json.loads(done.out)
    assert (done.status, told["how"], told["run"]) == (0, "reproduced", "refund-careless#0")


def test_a_broken_chain_is_not_run_again(squall, stored):
    trace = stored / "trace.jsonl"
    trace.write_bytes(trace.read_bytes().replace(b'"amount":40', b'"amount":41', 1))
    done = squall("replay", stored)
    assert done.status == 1
    assert "reproduced" not in done.out + done.err


def test_a_strategy_that_does_otherwise_diverges_at_an_event(squall, calm, own):
    squall("run", calm, "--strategy", f"{own}:Fickle")
    (folder,) = (path for path in Path("runs").iterdir() if not path.name.startswith("."))
    done = squall("replay", folder)
    assert done.status == 1
    first, expected, got = done.out.splitlines()
    assert first.startswith(f"{folder}: diverged at event 2: the strategy 'fickle' does not promise the same")
    assert expected.startswith("  expected  ")
    assert "find_result" in got


def test_a_program_is_made_again_but_for_its_times(squall, refund):
    squall("run", refund, "--command", f"{sys.executable} -c pass")
    (folder,) = (path for path in Path("runs").iterdir() if not path.name.startswith("."))
    done = squall("replay", folder)
    assert (done.status, done.err) == (0, "")
    assert done.out.endswith("events are equal but for the times of a wall clock, failed\n")


def test_events_that_differ_late_are_shown_where_they_do(squall, calm, own):
    source = Path(f"{own}.py").read_text()
    late = """

class Late:
    name = "late"
    times = 0

    async def run(self, task, env):
        Late.times += 1
        return Result("completed", "the same, " * 40 + str(Late.times))
"""
    Path(f"{own}_late.py").write_text(source + late)
    squall("run", calm, "--strategy", f"{own}_late:Late")
    (folder,) = (path for path in Path("runs").iterdir() if not path.name.startswith("."))
    _, expected, got = squall("replay", folder).out.splitlines()
    assert "the same, 1" in expected
    assert "the same, 2" in got
    assert len(expected) < 200


def test_where_the_strategy_is_gone_only_the_chain_is_verified(squall, calm, own, monkeypatch):
    squall("run", calm, "--strategy", f"{own}:Plain")
    (folder,) = (path for path in Path("runs").iterdir() if not path.name.startswith("."))
    Path(f"{own}.py").unlink()
    monkeypatch.delitem(sys.modules, own)
    done = squall("replay", folder)
    assert done.status == 0
    assert done.out.startswith(f"{folder}: only verified: the strategy 'plain' is not there")


def test_a_failure_is_reproduced_from_its_file_alone(squall, failure, calm, tmp_path, monkeypatch):
    Path(calm).unlink()
    (tmp_path / "else").mkdir()
    moved = shutil.move(failure, tmp_path / "else" / failure.name)
    monkeypatch.chdir(tmp_path / "else")
    done = squall("replay", Path(moved).name)
    assert done.status == 1
    assert done.out.splitlines() == [
        f"{failure.name}: reproduced: step 1, issue_refund, happened more than once",
        "    under  timeout, after the effect, at step1.issue_refund",
        "    run    get_order → issue_refund!timeout(after) → issue_refund",
        "    said   step 1, issue_refund, happened 2 times",
    ]


def test_a_failure_that_is_mended_passes_now(squall, failure):
    mended = failure.read_text().replace('"strategy": "careless"', '"strategy": "resilient"')
    failure.write_text(mended)
    done = squall("replay", failure, "--json")
    told = json.loads(done.out)
    assert (done.status, told["how"]) == (0, "passes now")


def test_a_fault_that_is_not_met_any_more_is_said(squall, failure):
    text = failure.read_text()
    failure.write_text(text.replace('"target": "step1.issue_refund"', '"target": "step7.issue_refund"'))
    done = squall("replay", failure)
    assert done.status == 1
    assert done.out.startswith(
        f"{failure}: fault not fired: timeout (after) at step7.issue_refund; nothing else is wrong"
    )


def test_a_fault_is_met_by_arrival_where_its_point_is_another(squall, failure):
    data = json.loads(failure.read_text())
    data["schedule"][0]["digest"] = "0" * 16
    failure.write_text(json.dumps(data))
    done = squall("replay", failure)
    assert done.status == 1
    first, second, *_ = done.out.splitlines()
    assert first.startswith(f"{failure}: reproduced: step 1, issue_refund, happened more than once")
    assert second == "  not exactly, but at the same arrival: step1.issue_refund #1"


@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (lambda kept: kept.pop("data"), "is not whole: Object missing required field `data`"),
        (lambda kept: kept.pop("strategy"), "is not whole: Object missing required field `strategy`"),
        (lambda kept: kept.update(files={"a.toml": 3}), "is not whole: Expected `str`, got `int`"),
    ],
)
def test_a_scenario_that_is_not_whole_in_a_failures_file_is_wrong_input(squall, failure, damage, message):
    data = json.loads(failure.read_text())
    damage(data["scenario"])
    failure.write_text(json.dumps(data))
    done = squall("replay", failure)
    assert done.status == 2
    assert message in done.err


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot read 'x.json': No such file or directory"),
        ("{}", "x.json: this is no regression file"),
        ("no json", "x.json: this is no regression file"),
        ('{"squall_regression": 99}', "x.json: regression format 99 is not known"),
        (
            '{"squall_regression": 1, "test": "t.py::t", "violated": "x", "status": "", "schedule": [], "how": "me"}',
            "Run it in pytest: me\n",
        ),
    ],
)
def test_a_file_that_is_no_failure_is_wrong_input(squall, write, text, message):
    write("other.txt", "")
    if text is not None:
        write("x.json", text)
    done = squall("replay", "x.json")
    assert done.status == 2
    assert message in done.err


@pytest.mark.parametrize("name", ["nowhere", "empty"])
def test_a_folder_without_a_run_is_said(squall, write, name):
    write("other.txt", "")
    Path("empty").mkdir()
    done = squall("replay", name)
    assert done.status == 2
    assert f"error: there is no {'run in ' * (name == 'empty')}'{name}'\n" in done.err


def test_a_folder_of_runs_is_no_run_and_some_are_named(squall, stored):
    done = squall("replay", "runs")
    assert done.status == 2
    assert done.err == f"error: 'runs' holds runs and is none\n    Name one of them: {stored.as_posix()}\n"
