"""`squall explore`: what it tries and says, the files it leaves, its report, and whether expectations can fail."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from squall.cli.exploring import MOST, Live, tell
from squall.explore import Coverage
from squall.reports.exploration import Exploration, Failure

TIMEOUTS = ("--kinds", "timeout")


def kept(folder=".squall/regressions"):
    return sorted(Path(folder).iterdir()) if Path(folder).is_dir() else []


def test_every_single_fault_is_tried_and_failures_are_told_and_kept(squall, calm):
    done = squall("explore", calm, "--strategy", "careless", *TIMEOUTS)
    (file,) = kept()
    assert (done.status, done.err) == (1, "")
    assert done.out.splitlines()[:13] == [
        "calm × careless",
        "Every single fault (4) of the kinds timeout: 1 failure.",
        "",
        "failed: step 1, issue_refund, happened more than once",
        "    under  timeout, after the effect, at step1.issue_refund",
        "    run    get_order → issue_refund!timeout(after) → issue_refund",
        "    said   step 1, issue_refund, happened 2 times",
        "    seen   in 2 runs",
        "    alike  The same is violated under timeout (late) at step1.issue_refund.",
        f"    squall replay {file}",
        "",
        "at                  tried   behind a fault  failed with",
        "step0.get_order     1 of 1  0 of 1          -",
    ]


def test_nothing_that_fails_is_exit_status_0_and_leaves_no_file(squall, calm):
    done = squall("explore", calm, "--strategy", "resilient", *TIMEOUTS)
    assert done.status == 0
    assert "Every single fault (4) of the kinds timeout: no failure." in done.out
    assert not kept()


def test_files_that_hold_no_failure_are_named_and_keep_nobody_from_exploring(squall, calm, write):
    squall("explore", calm, "--strategy", "careless", *TIMEOUTS)
    (file,) = kept()
    write(".squall/regressions/torn.json", file.read_text()[:100])
    done = squall("explore", calm, "--strategy", "careless", *TIMEOUTS)
    told = " ".join(done.out.split())
    assert (done.status, done.err) == (1, "")
    assert "Of 1 kept failure 1 is still there." in told
    assert "Not run again: .squall/regressions/torn.json: this is no regression file" in told


def test_what_was_found_is_told_where_it_cannot_be_kept(squall, calm, write):
    write("file", "")
    where = ("--regressions", "file/within", "--report", "page.html")
    done = squall("explore", calm, "--strategy", "careless", *TIMEOUTS, *where)
    assert (done.status, done.err) == (1, "")
    assert "failed: step 1, issue_refund, happened more than once" in done.out
    assert "Not kept as a file: cannot write 'file/within/calm_careless-" in " ".join(done.out.split())
    assert "squall replay" not in done.out
    assert "squall replay" not in Path("page.html").read_text(encoding="utf-8").replace("squall replay FILE", "")


def test_the_scenarios_own_faults_stay_away(squall, refund):
    assert squall("explore", refund, "--strategy", "resilient", *TIMEOUTS).status == 0


def test_what_happens_beside_the_calls_of_steps_is_tried_too(squall, calm):
    done = squall("explore", calm, "--strategy", "careless", "--kinds", "*_call,duplicate_task,stale_memory", "--json")
    told = json.loads(done.out)
    assert {(line["target"], line["kind"], line["faulted"]) for line in told["coverage"]} == {
        ("asks.step0", "repeated_call", 1),
        ("asks.step1", "repeated_call", 1),
        ("asks.task", "duplicate_task", 1),
        ("memory.step0", "stale_memory", 1),
        ("memory.step1", "stale_memory", 1),
    }
    assert {failure["schedule"][0]["words"] for failure in told["failures"]} == {
        "stale_memory, at memory.step0",
        "stale_memory, at memory.step1",
        "repeated_call, at asks.step1",
    }


def test_pairs_are_tried_from_depth_2_on(squall, calm):
    told = json.loads(squall("explore", calm, "--strategy", "resilient", *TIMEOUTS, "--depth", "2", "--json").out)
    singles, pairs = told["schedules"]
    assert (singles["faults"], singles["possible"], pairs["faults"]) == (1, 4, 2)
    assert pairs["possible"] > 4
    assert told["claim"].startswith("Every single fault (4) and ")
    assert told["depth"] == 2


def test_a_budget_cuts_it_short_and_that_is_said(squall, calm):
    done = squall("explore", calm, "--strategy", "resilient", "--budget", "3")
    assert done.status == 0
    assert "  Cut short: the budget of 3 runs is used up." in done.out.splitlines()


def test_where_no_fault_has_happened_nothing_was_shown_and_the_exit_status_is_1(squall, calm):
    done = squall("explore", calm, "--strategy", "resilient", *TIMEOUTS, "--targets", "stepp1.*")
    assert done.status == 1
    assert "Nothing that could happen matches 'stepp1.*': did you mean 'step1.*'?" in done.out


def test_tokens_are_a_budget_too(squall, write):
    write("script.toml", '[[turn]]\nsay = "done"\n')
    head = 'task = "Say done."\nprovider = "script.toml"\n'
    scenario = write("says.toml", f'{head}[scenario]\nname = "says"\n[expect]\nanswer_contains = "done"\n')
    done = squall("explore", scenario, "--strategy", "resilient", "--tokens", "1")
    assert "Cut short: the budget of 1 tokens is used up." in " ".join(done.out.split())


def test_targets_narrow_it_and_what_is_left_out_is_said(squall, calm):
    done = squall("explore", calm, "--strategy", "careless", *TIMEOUTS, "--targets", "step0.*")
    assert done.status == 0
    assert "Every single fault (1) of the kinds timeout at step0.*: no failure." in done.out
    assert "Left out by the filters: timeout at step1.issue_refund" in done.out


def test_the_classic_names_of_kinds_are_known(squall, calm):
    told = json.loads(squall("explore", calm, "--strategy", "baseline", "--kinds", "provider_error", "--json").out)
    assert {line["kind"] for line in told["coverage"]} == {"http_503"}


def test_a_kept_failure_is_tried_first_and_keeps_its_file(squall, calm):
    squall("explore", calm, "--strategy", "careless", *TIMEOUTS)
    before = {path: path.read_bytes() for path in kept()}
    told = json.loads(squall("explore", calm, "--strategy", "careless", "--budget", "1", "--json").out)
    assert [failure["violated"] for failure in told["failures"]] == ["step 1, issue_refund, happened more than once"]
    assert told["failures"][0]["kept"]
    assert {path: path.read_bytes() for path in kept()} == before


def test_a_crash_is_a_failure_unless_it_is_not_to_be_one(squall, calm, own):
    line = ("explore", calm, "--strategy", f"{own}:Crashing", *TIMEOUTS)
    done = squall(*line)
    assert done.status == 1
    assert "crashed: KeyError at " in done.out
    assert "crashed" not in squall(*line, "--no-crashes").out


def test_a_strategy_that_says_it_failed_may_be_taken_at_its_word(squall, calm):
    line = ("explore", calm, "--strategy", "baseline", *TIMEOUTS)
    assert squall(*line).status == 1
    assert squall(*line, "--may-give-up").status == 0


def test_a_strategy_that_does_otherwise_each_time_is_explored_with_less_certainty(squall, calm, own):
    done = squall("explore", calm, "--strategy", f"{own}:Fickle", *TIMEOUTS)
    assert "Two runs without faults differ" in done.out


def test_several_processes_find_the_same(squall, calm):
    line = ("explore", calm, "--strategy", "careless", "--kinds", "timeout,http_503,connection_lost", "--depth", "2")
    alone = squall(*line, "--json", "--regressions", "kept")
    many = squall(*line, "--json", "--regressions", "kept", "--jobs", "2")
    assert many.status == alone.status == 1
    first, second = (json.loads(done.out) for done in (alone, many))
    for told in (first, second):
        for failure in told["failures"]:
            failure.pop("kept")
    assert second["failures"] == first["failures"]
    assert second["coverage"] == first["coverage"]
    assert second["claim"] == first["claim"]


def test_the_report_is_the_same_in_another_process_with_another_hash_seed(squall, calm, tmp_path, monkeypatch):
    line = ["explore", f"../{calm}", "--strategy", "careless", "--kinds", "timeout,http_503", "--report", "r.html"]
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    environment = os.environ | {"PYTHONHASHSEED": "7"}
    command = [sys.executable, "-m", "squall", *line]
    done = subprocess.run(command, cwd="one", env=environment, capture_output=True, timeout=60, check=False)
    assert done.returncode == 1, done.stderr
    monkeypatch.chdir("two")
    assert squall(*line).status == 1
    files = [
        {path.name: path.read_bytes() for path in sorted((tmp_path / name).glob("r.*"))} for name in ("one", "two")
    ]
    assert list(files[0]) == ["r.html", "r.json", "r.md", "r.xml"]
    assert files[0] == files[1]
    assert str(tmp_path).encode() not in b"".join(files[0].values())


def test_the_report_names_no_path_of_the_machine(squall, calm, tmp_path):
    line = ("explore", calm, "--strategy", "careless", *TIMEOUTS, "--regressions", tmp_path / "kept")
    done = squall(*line, "--report", "out/r.html")
    assert done.out.splitlines()[-1] == "report: out/r.html"
    page = Path("out/r.html").read_text()
    assert f"squall replay ../kept/{kept('kept')[0].name}" in page
    assert str(tmp_path) not in page


def test_altered_end_states_show_that_the_expectations_can_fail(squall, calm):
    done = squall("explore", calm, "--strategy", "resilient", *TIMEOUTS, "--mutate-world")
    assert done.status == 0
    assert done.out.splitlines()[:5] == [
        "altered end states, to see whether what is expected can fail:",
        "  step 1, issue_refund, happened once more: noticed by step 1, issue_refund,",
        "    happened more than once",
        "  step 1, issue_refund, never happened: noticed by step 1, issue_refund, never",
        "    happened",
    ]


def test_expectations_that_notice_no_altered_end_state_are_exit_status_1(squall, calm, write):
    write(calm, Path(calm).read_text() + "\n[expect]\nsteps = false\n")
    done = squall("explore", calm, "--strategy", "resilient", *TIMEOUTS, "--mutate-world", "--json")
    told = json.loads(done.out)
    assert done.status == 1
    assert told["failures"] == []
    assert [each["noticed_by"] for each in told["altered"]] == [None, None]
    assert any(note.startswith("What is expected cannot fail: ") for note in told["notes"])


def test_where_nothing_writes_it_is_said_that_no_duplicate_could_show(squall, calm, write):
    reads = Path(calm).read_text().replace('{ refund = "r_1" }', '{ refund = "r_1" }\nwrites = false')
    write(calm, reads)
    done = squall("explore", calm, "--strategy", "resilient", *TIMEOUTS, "--mutate-world")
    said = " ".join(done.out.split())
    assert "No run changed anything in the world: a write that happens twice could not have shown." in said
    assert "No end state could be altered: nothing was written." in said
    assert not said.startswith("altered end states")


def test_an_interrupt_tells_what_was_found_so_far(squall, calm, own):
    done = squall("explore", calm, "--strategy", f"{own}:Interrupted")
    assert done.status == 130
    assert done.err == "interrupted: telling what was found so far (once more to end at once)\n"
    assert "Cut short: it was interrupted." in done.out
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_interrupt_ends_at_once():
    with Live(sys.stderr) as live:
        signal.raise_signal(signal.SIGINT)
        assert live.interrupted
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_everything_but_a_command_fits_80_columns(squall, calm, own):
    for strategy in ("careless", "baseline", f"{own}:Crashing"):
        done = squall("explore", calm, "--strategy", strategy, "--depth", "2", "--mutate-world")
        wide = [line for line in done.out.splitlines() if len(line) > 80]
        assert [line for line in wide if "squall replay " not in line] == []


def test_of_many_failures_the_first_are_told_in_full(capsys):
    coverage = Coverage("A claim.", (), (), (), (), {}, 0, 0, 0, (), (), "", "")
    many = tuple(Failure(f"the {number}th", "failed", "", (), False, ()) for number in range(MOST + 2))
    tell(Exploration("x", coverage, many, 0), 1.0)
    out = capsys.readouterr().out
    assert out.count("under  no fault") == MOST
    assert f"and 2 more failures:\n  failed: the {MOST}th\n" in out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("calm.toml", "--strategy", "carelss"), "there is no strategy 'carelss'; did you mean 'careless'?"),
        (("nowhere.toml", "--strategy", "careless"), "there is no file 'nowhere.toml'"),
        (("calm.toml", "--strategy", "careless", "--kinds", "timeot"), "unknown kind of fault 'timeot'; did you mean"),
        (("calm.toml", "--strategy", "careless", "--report", "r.md"), "Name it r.html: the others are written beside"),
        (("calm.toml", "--strategy", "careless", "--report", "out/page"), "and 'out/page' does not end in .html"),
        (("calm.toml", "--strategy", "careless", "--report", "calm.toml/r.html"), "cannot write 'calm.toml/r.html'"),
        (("calm.toml", "--strategy", "careless", "--regressions", "calm.toml"), "cannot write 'calm.toml"),
        (("fails.toml", "--strategy", "careless", "--mutate-world"), "fails without any fault"),
    ],
)
def test_wrong_input_is_said(squall, calm, write, arguments, message):
    write("fails.toml", Path(calm).read_text() + '\n[expect]\nanswer_contains = "never said"\n')
    done = squall("explore", *arguments)
    assert done.status == 2
    assert message in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("strategy", [(), ("--strategy", "careless")])
def test_why_a_command_cannot_be_explored_is_said_and_what_to_do_instead(squall, calm, strategy):
    done = squall("explore", calm, "--command", "node agent.js", *strategy)
    assert done.status == 2
    assert "error: a command cannot be explored: it is another process, whose calls cannot be kept in" in done.err
    assert "squall suite SCENARIO --command 'node agent.js'" in done.err
    assert "--command" not in squall("explore", "--help").out


def test_without_a_strategy_it_is_asked_for(squall, calm):
    done = squall("explore", calm)
    assert (done.status, "Missing option '--strategy'" in done.err) == (2, True)


def test_a_scenario_that_fails_without_faults_is_a_failure_without_a_schedule(squall, calm, write):
    write(calm, Path(calm).read_text() + '\n[expect]\nanswer_contains = "never said"\n')
    done = squall("explore", calm, "--strategy", "careless")
    assert done.status == 1
    assert "failed: the answer does not say 'never said'\n    under  no fault\n" in done.out
