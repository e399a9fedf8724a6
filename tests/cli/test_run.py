"""`squall run`: one run, what is said of it, where it lies, and what a second time does."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from squall.cli import of_lab
from squall.store.workspace import PREFIX


def runs(folder="runs"):
    return sorted(path.name for path in Path(folder).iterdir() if not path.name.startswith("."))


def test_a_run_that_passes_is_told_and_stored(squall, refund):
    done = squall("run", refund, "--strategy", "resilient")
    assert (done.status, done.err) == (0, "")
    (name,) = runs()
    assert name.startswith("refund-resilient-")
    assert done.out.splitlines()[0] == "passed  refund × resilient, seed 1"
    assert "fault       timeout at step 1, issue_refund: fired" in done.out
    assert done.out.rstrip().endswith(f"again       squall replay runs/{name}")
    assert sorted(path.name for path in (Path("runs") / name).iterdir()) == ["run.json", "trace.jsonl"]


def test_a_run_that_fails_says_what_does_not_hold(squall, refund):
    done = squall("run", refund, "--strategy", "careless")
    assert done.status == 1
    assert done.out.splitlines()[:2] == [
        "failed  refund × careless, seed 1",
        "  step 1, issue_refund, happened 2 times",
    ]
    assert "duplicates  1 effect happened again" in done.out


def test_a_strategy_that_promises_the_same_is_not_run_again(squall, refund):
    squall("run", refund, "--strategy", "resilient")
    before = {path: path.stat().st_mtime_ns for path in Path("runs").rglob("*")}
    done = squall("run", refund, "--strategy", "resilient")
    assert done.status == 0
    assert done.out.endswith("(nothing has changed since it was stored, and it was not run again)\n")
    assert {path: path.stat().st_mtime_ns for path in Path("runs").rglob("*")} == before


@pytest.mark.parametrize("more", [("--seed", "2"), ("--run-index", "1")])
def test_another_seed_or_run_index_is_another_run(squall, refund, more):
    squall("run", refund, "--strategy", "resilient")
    assert "was not run again" not in squall("run", refund, "--strategy", "resilient", *more).out
    assert len(runs()) == 2


def test_a_changed_scenario_is_another_run(squall, refund, write):
    squall("run", refund, "--strategy", "resilient")
    write(refund, Path(refund).read_text().replace("amount = 40", "amount = 41"))
    squall("run", refund, "--strategy", "resilient")
    assert len(runs()) == 2


def test_a_strategy_that_promises_nothing_is_sampled_afresh(squall, calm, own):
    first, second = (json.loads(squall("run", calm, "--strategy", f"{own}:Plain", "--json").out) for _ in range(2))
    assert (first["sample"], second["sample"]) == (0, 1)
    assert first["fresh"]
    assert second["fresh"]
    assert len(runs()) == 2


def test_a_command_is_a_strategy(squall, calm, write):
    write("agent.py", 'print(\'{"status": "failed", "answer": "no idea"}\')\n')
    done = squall("run", calm, "--command", "python agent.py", "--json")
    told = json.loads(done.out)
    assert (done.status, told["status"], told["answered"], told["answer"]) == (1, "failed", "failed", "no idea")


def test_what_a_program_says_at_its_end_stands_in_lines_of_their_own(squall, calm, write):
    write("agent.py", "import sys; sys.exit('one\\n\\x1b[2Jtwo')\n")
    lines = squall("run", calm, "--command", f"{sys.executable} agent.py").out.splitlines()
    place = next(place for place, line in enumerate(lines) if line.startswith("  note "))
    assert lines[place].endswith("one")
    assert lines[place + 1] == f"{'':14}\\x1b[2Jtwo"
    took = next(line for line in lines if line.startswith("  took "))
    assert "virtual" not in took


def test_json_is_the_record_without_what_it_was_made_from(squall, refund):
    told = json.loads(squall("run", refund, "--strategy", "careless", "--json").out)
    assert (told["status"], told["met"], told["seed"], told["fresh"]) == ("failed", False, 1, True)
    assert told["folder"] == f"runs/{runs()[0]}"
    assert told["metrics"]["duplicate_effects"] == 1
    assert "inputs" not in told


def test_a_crash_of_the_strategy_is_told_as_one(squall, refund, own):
    done = squall("run", refund, "--strategy", f"{own}:Crashing")
    assert done.status == 1
    assert done.out.startswith("crashed  refund × crashing, seed 1\n  KeyError: 'no plan for this'\n")


def test_a_fault_that_never_fires_is_no_pass(squall, write, refund):
    write(refund, Path(refund).read_text().replace("step = 1", "step = 1\noccurrence = 5"))
    done = squall("run", refund, "--strategy", "baseline")
    assert done.status == 1
    assert done.out.startswith("not fired  refund × baseline, seed 1\n")
    assert "timeout at step 1, issue_refund: not reached" in done.out


def test_the_output_folder_may_be_another_one_and_is_made(squall, refund):
    done = squall("run", refund, "--strategy", "resilient", "--output", "a/b c")
    assert done.status == 0
    assert len(runs("a/b c")) == 1
    assert "squall replay 'a/b c/refund-resilient-" in done.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "a run needs a strategy or a command, and not both"),
        (("--strategy", "baseline", "--command", "true"), "a run needs a strategy or a command, and not both"),
        (("--strategy", "resilent"), "there is no strategy 'resilent'; did you mean 'resilient'?"),
        (("--strategy", "nowhere:It"), "nowhere"),
        (("--strategy", "baseline", "--output", "refund.toml"), "refund.toml"),
    ],
)
def test_wrong_input_is_said_and_nothing_is_run(squall, refund, arguments, message):
    done = squall("run", refund, *arguments)
    assert done.status == 2
    assert done.err.startswith("error: ")
    assert message in done.err
    assert "Traceback" not in done.err
    assert not Path("runs").exists()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "there is no file 'other.toml'"),
        ("[scenario", "other.toml:1:"),
        ("[steps]\n", "other.toml"),
    ],
)
def test_a_file_that_is_no_scenario_is_wrong_input(squall, refund, write, text, message):
    if text is not None:
        write("other.toml", text)
    done = squall("run", "other.toml", "--strategy", "baseline")
    assert done.status == 2
    assert message in done.err


def test_what_a_killed_process_left_is_swept_up_and_said(squall, refund):
    left = Path("runs") / f"{PREFIX}x"
    (left / "1-refund-resilient-0123456789ab").mkdir(parents=True)
    done = squall("run", refund, "--strategy", "resilient")
    assert done.status == 0
    assert "refund-resilient-0123456789ab" in done.err
    assert not left.exists()


@pytest.mark.parametrize(
    ("text", "seeds"),
    [
        (None, ()),
        ("3", (3,)),
        ("0..3", (0, 1, 2, 3)),
        ("1,2,5", (1, 2, 5)),
        (" 7 , 0..1 , 7 ", (7, 0, 1)),
        ("-2..0", (-2, -1, 0)),
    ],
)
def test_seeds_are_written_as_lists_and_ranges(text, seeds):
    assert of_lab.seeds_in(text) == seeds


def test_a_pages_line_is_told_from_its_folder_wherever_one_is(tmp_path, monkeypatch):
    (tmp_path / "else").mkdir()
    monkeypatch.chdir(tmp_path)
    lines = {of_lab.replay_command(Path("out/runs/a b"), beside=Path("out/report.html"))}
    monkeypatch.chdir("else")
    lines |= {
        of_lab.replay_command(Path("../out/runs/a b"), beside=Path("../out/report.html")),
        of_lab.replay_command(tmp_path / "out/runs/a b", beside=Path("../out/report.html")),
    }
    assert lines == {"squall replay 'runs/a b'"}
    assert of_lab.replay_command(Path("../out/runs/a")) == "squall replay ../out/runs/a"


@pytest.mark.parametrize("command", ["run", "explore"])
def test_what_an_agent_says_does_nothing_to_a_terminal(squall, calm, own, write, command):
    write(calm, Path(calm).read_text() + '\n[expect]\nsteps = false\nanswer_contains = "paid"\n')
    done = squall(command, calm, "--strategy", f"{own}:Rude")
    assert done.status == 1
    assert "the answer does not say 'paid'" in done.out
    assert not {"\x1b", "\u202e"} & set(done.out)
    assert len(done.out) < 5_000
