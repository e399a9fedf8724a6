"""`squall suite`: the matrix, what is run again and what is not, interrupts, kills, and the same files each time."""

from __future__ import annotations

import filecmp
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from squall.cli.suite import enough

BOTH = ("--strategies", "baseline,resilient")


@pytest.fixture
def two(refund, calm):
    return refund, calm


def folders(output="runs"):
    return sorted(path.name for path in Path(output).iterdir() if not path.name.startswith("."))


def same(one, other):
    """Whether two folders hold the same files with the same bytes, hidden ones too."""
    found = [sorted(path.relative_to(folder) for path in Path(folder).rglob("*")) for folder in (one, other)]
    if found[0] != found[1]:
        return False
    files = [str(path) for path in found[0] if (Path(one) / path).is_file()]
    return filecmp.cmpfiles(one, other, files, shallow=False) == (files, [], [])


def by_process(*arguments, cwd=None, **environment):
    environment = os.environ | environment
    command = [sys.executable, "-m", "squall", *map(str, arguments)]
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_every_scenario_is_run_with_every_strategy(squall, two):
    done = squall("suite", *two, "--strategies", "baseline,resilient,careless")
    assert (done.status, done.err) == (1, "")
    assert [name.rpartition("-")[0] for name in folders()] == [
        f"{scenario}-{strategy}"
        for scenario in ("calm", "refund")
        for strategy in ("baseline", "careless", "resilient")
    ]
    assert done.out.splitlines()[-1] == "6 runs in runs"
    assert done.out.startswith(
        "resilient met its expectations in 2 of 2 runs, baseline in 1 of 2, careless in 1\n  of 2."
    )


def test_a_folder_is_searched_for_scenarios_and_other_files_are_left_alone(squall, two, write, tmp_path):
    for name in ("deep", "deep/er"):
        (tmp_path / "all" / name).mkdir(parents=True)
    Path("all/refund.toml").write_text(Path("refund.toml").read_text())
    Path("all/deep/er/calm.toml").write_text(Path("calm.toml").read_text())
    Path("all/deep/world.yaml").write_text("name: shop\nservices: {}\n")
    Path("all/notes.txt").write_text("[scenario]\n")
    done = squall("suite", "all", "--strategies", "resilient")
    assert (done.status, done.out.splitlines()[-1]) == (0, "2 runs in runs")


@pytest.mark.parametrize(
    ("seeds", "expected"), [((), [1]), (("--seeds", "0..2"), [0, 1, 2]), (("--seeds", "5,3"), [5, 3])]
)
def test_seeds_are_the_scenarios_own_unless_given(squall, refund, seeds, expected):
    told = json.loads(squall("suite", refund, "--strategies", "resilient", "--json", *seeds).out)
    assert [run["seed"] for run in told] == expected
    assert all(run["fresh"] for run in told)


def test_what_is_stored_is_not_run_again(squall, two):
    squall("suite", "refund.toml", *BOTH)
    before = {path: path.stat().st_mtime_ns for path in Path("runs").rglob("*/*")}
    done = squall("suite", *two, *BOTH)
    assert done.out.splitlines()[-1] == "4 runs in runs, 2 of them stored before"
    assert {path: path.stat().st_mtime_ns for path in before} == before


def test_strategies_that_promise_nothing_get_fresh_samples_and_others_do_not(squall, calm, own):
    line = ("suite", calm, "--strategies", f"baseline,{own}:Plain", "--json")
    first, second = (json.loads(squall(*line).out) for _ in range(2))
    assert [(run["strategy"], run["sample"], run["fresh"]) for run in second] == [
        ("baseline", 0, False),
        ("plain", 1, True),
    ]
    assert [run["fresh"] for run in first] == [True, True]


@pytest.mark.parametrize(("rate", "status"), [("0.5", 0), ("0.51", 1), ("0", 0), ("1", 1)])
def test_a_rate_may_be_enough(squall, refund, rate, status):
    assert squall("suite", refund, *BOTH, "--fail-under", rate).status == status


@pytest.mark.parametrize(("passed", "holds"), [(6, False), (7, True)])
def test_seven_of_a_hundred_are_7_percent_although_floats_multiply_to_more(passed, holds):
    assert 0.07 * 100 > 7
    assert enough(passed, 100, 0.07) is holds


def test_several_processes_leave_the_same_files_as_one(squall, two):
    line = ("suite", *two, "--strategies", "baseline,resilient", "--seeds", "0..4", "--json")
    alone = squall(*line, "--output", "one")
    many = squall(*line, "--output", "two", "--jobs", "2")
    assert json.loads(many.out.replace('"two/', '"one/')) == json.loads(alone.out)
    assert same("one", "two")
    assert len(folders("one")) == 20


def test_the_hash_seed_and_the_working_directory_make_no_difference(squall, two, tmp_path):
    (tmp_path / "elsewhere").mkdir()
    arguments = ("--strategies", "baseline,resilient")
    first = squall("suite", *two, *arguments, "--output", "one", "--report", "one.html")
    paths = [tmp_path / path for path in two]
    output = ("--output", tmp_path / "two", "--report", tmp_path / "two.html")
    second = by_process("suite", *paths, *arguments, *output, cwd=tmp_path / "elsewhere", PYTHONHASHSEED="7")
    assert (first.status, second.returncode) == (1, 1), second.stderr
    assert same("one", "two")
    assert len(folders("one")) == 4
    pages = [Path(name).read_text().replace("replay two/", "replay one/") for name in ("one.html", "two.html")]
    assert pages[0] == pages[1]


def test_an_interrupted_suite_goes_on_where_it_was(squall, calm, own):
    line = ("suite", calm, "--strategies", f"{own}:Interrupted", "--seeds", "0..5")
    done = squall(*line)
    assert done.status == 130
    assert done.err == "interrupted after 3 of 6 runs; the same line goes on from there\n"
    assert len(folders()) == 3
    done = squall(*line)
    assert done.status == 0
    assert done.out.splitlines()[-1] == "6 runs in runs, 3 of them stored before"


def test_an_interrupted_suite_does_not_repeat_the_samples_that_it_has(squall, calm, own, write):
    write(f"{own}.py", Path(f"{own}.py").read_text().replace("deterministic = True\n    at", "at"))
    line = ("suite", calm, "--strategies", f"{own}:Interrupted", "--seeds", "0..5", "--json")
    assert squall(*line).status == 130
    told = json.loads(squall(*line).out)
    assert [(run["sample"], run["fresh"]) for run in told] == [(0, False)] * 3 + [(1, True)] + [(0, True)] * 2
    assert all(run["fresh"] for run in json.loads(squall(*line).out))
    assert not list(Path("runs").glob(".suite-*"))


def test_a_killed_suite_leaves_whole_runs_alone_and_the_next_one_goes_on(squall, refund, own, write):
    source = Path(f"{own}.py").read_text().replace("import signal", "import os")
    kill = f'"KILLED" in os.environ and os.kill(os.getpid(), {signal.SIGKILL:d})'
    write(f"{own}.py", source.replace("signal.raise_signal(signal.SIGINT)", kill))
    line = ("suite", refund, "--strategies", f"{own}:Interrupted", "--seeds", "0..4")
    killed = by_process(*line, KILLED="1")
    assert (killed.returncode, killed.stdout) == (-signal.SIGKILL, "")
    whole = len(folders())
    assert whole < 5
    done = squall(*line)
    assert done.status == 1  # its strategy fails, which is another matter
    assert squall("verify", "runs").status == 0
    assert len(folders()) == 5
    assert ("stored before" in done.out) == (whole > 0)
    assert not list(Path("runs").glob(".writing-*"))


def test_a_report_is_written_with_what_lies_beside_it(squall, two):
    done = squall("suite", *two, *BOTH, "--report", "out/deep/report.html")
    assert done.out.splitlines()[-1] == "4 runs in runs; report: out/deep/report.html"
    assert sorted(path.name for path in Path("out/deep").iterdir()) == [
        f"report.{ending}" for ending in ("csv", "html", "json", "md", "xml")
    ]
    page = Path("out/deep/report.html").read_text()
    assert f"squall replay ../../runs/{folders()[2]}" in page
    assert str(Path.cwd()) not in page


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("nowhere", *BOTH), "there is no file 'nowhere'"),
        (("empty", *BOTH), "there is no scenario in empty"),
        (("refund.toml",), "a suite needs strategies, or a --command"),
        (
            ("refund.toml", "--strategies", "baselin,resilient"),
            "there is no strategy 'baselin'; did you mean 'baseline'?",
        ),
        (("refund.toml", "copy.toml", *BOTH), "several scenarios are called 'refund'"),
        (("refund.toml", *BOTH, "--seeds", "a..3"), "--seeds 'a..3': 'a..3' is no number"),
        (("refund.toml", *BOTH, "--seeds", "3..1"), "--seeds '3..1': '3..1' is no range"),
        (("refund.toml", *BOTH, "--seeds", ""), "--seeds '': '' is no number"),
        (("refund.toml", *BOTH, "--output", "refund.toml"), "refund.toml"),
        (("refund.toml", *BOTH, "--report", "empty"), "cannot write 'empty': it is a folder"),
        (("refund.toml", *BOTH, "--report", "refund.toml/r.html"), "cannot write 'refund.toml/r.html'"),
        (("refund.toml", *BOTH, "--report", "report.txt"), "Name it report.html: the others are written beside it."),
        (("refund.toml", *BOTH, "--report", "report.csv"), "the report is a page, and 'report.csv' is the name of"),
    ],
)
def test_wrong_input_is_said_before_anything_is_run(squall, refund, write, arguments, message):
    Path("empty").mkdir()
    write("copy.toml", Path(refund).read_text())
    done = squall("suite", *arguments)
    assert done.status == 2
    assert message in done.err
    assert "Traceback" not in done.err
    assert not Path("runs").exists()


def test_all_that_is_wrong_with_any_scenario_is_said_at_once(squall, refund, write):
    write("one.toml", '[scenario]\nname = "one"\n')
    write("two.toml", "[scenario]\nnme = 1\n")
    done = squall("suite", "one.toml", "two.toml", "--strategies", "nobody")
    assert done.status == 2
    assert all(word in done.err for word in ("one.toml", "two.toml", "nobody"))


def test_one_program_with_other_arguments_is_another_strategy(squall, calm, write):
    write("agent.py", "import sys; sys.exit(sys.argv[1] == 'bad')\n")
    programs = [f"{sys.executable} agent.py {each}" for each in ("good", "bad")]
    commands = [word for each in programs for word in ("--command", each)]
    told = json.loads(squall("suite", calm, *commands, "--json").out)
    assert [(run["strategy"], run["answered"]) for run in told] == [("agent", "completed"), ("agent", "failed")]
    told_apart = squall("compare", "runs").out
    assert "agent (good)" in told_apart
    assert "agent (bad)" in told_apart
