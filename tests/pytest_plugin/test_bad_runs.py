from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from squall.pytest_plugin.bad_runs import alike, bad_runs, cut, folded
from squall.pytest_plugin.groups import Group
from squall.pytest_plugin.record import RunRecord
from squall.pytest_plugin.verdict import Verdict

WHERE = ("t.py", 0, "test")


def shown(tmp_path, *runs, verdict="failed", lost=(), width=100):
    records = {at: RunRecord("t.py::test", at, **run) for at, run in enumerate(runs)}
    group = Group("t.py::test", WHERE, len(runs), 0.9, runs=records, lost=set(lost))
    group.verdict = Verdict(verdict, "") if verdict else None
    group.ids = {at: f"t.py::test[run{at}]" for at in records}
    option, invocation = SimpleNamespace(runs=None), SimpleNamespace(dir=tmp_path)
    config: Any = SimpleNamespace(rootpath=tmp_path, invocation_params=invocation, option=option)
    return list(bad_runs(group, config, width))


PASSED = {"line": "a"}
TWICE = {"status": "failed", "line": "a → b", "violated": "AssertionError: twice"}
CRASH = {"status": "crashed", "line": "a", "violated": "OSError"}
UNFIRED = {"status": "not_fired", "line": "a", "violated": "not fired: timeout at a"}


def test_runs_that_ended_alike_are_told_once_with_a_line_for_each(tmp_path):
    assert shown(tmp_path, TWICE, PASSED, CRASH, TWICE) == [
        "",
        "t.py::test",
        "  runs 0, 3 failed: a → b",
        "    AssertionError: twice",
        '    pytest "t.py::test[run0]" --squall-seed=0',
        '    pytest "t.py::test[run3]" --squall-seed=0',
        "  run 2 crashed: a",
        "    OSError",
        '    pytest "t.py::test[run2]" --squall-seed=0',
    ]


def test_however_many_they_are_there_are_five_lines_to_run_one_again(tmp_path):
    lines = shown(tmp_path, *[UNFIRED] * 20)
    assert lines[2:4] == ["  runs 0–19 not fired: a", "    not fired: timeout at a"]
    assert len(lines) == 4 + 5
    mixed = shown(tmp_path, *[TWICE] * 8, *[CRASH] * 8)
    assert sum("pytest" in line for line in mixed) == 5
    assert "  runs 8–15 crashed: a" in mixed  # each end has its line, before one end has many


def test_five_ends_are_told_and_the_rest_counted(tmp_path):
    runs = [{"status": "failed", "line": f"call_{at}"} for at in range(7)]
    lines = shown(tmp_path, *runs, {"status": "skipped"}, {"status": "skipped"})
    assert [line for line in lines if line.startswith("  run ")] == [f"  run {at} failed: call_{at}" for at in range(5)]
    assert lines[-1] == "  … and 4 more that did not pass"


def test_runs_without_a_gate_are_named_only(tmp_path):
    assert shown(tmp_path, TWICE, PASSED, CRASH, {"status": "skipped"}, verdict=None) == [
        "",
        "t.py::test: runs 0, 2 failed",
        '  pytest "t.py::test[run0]" --squall-seed=0',
        '  pytest "t.py::test[run2]" --squall-seed=0',
    ]


@pytest.mark.parametrize("verdict", ["passed", "skipped", "xfailed", "xpassed", "undecided"])
def test_groups_that_did_not_fail_are_not_told(tmp_path, verdict):
    assert shown(tmp_path, TWICE, verdict=verdict) == []


def test_a_violated_property_of_the_world_is_told_although_the_gate_has_passed(tmp_path):
    assert shown(tmp_path, PASSED, TWICE | {"property": "at_most_once"}, CRASH, verdict="passed") == [
        "",
        "t.py::test passed, and yet violated at_most_once. One run that can be had again proves that it can",
        "happen, whatever the rate:",
        "  run 1 failed: a → b",
        "    AssertionError: twice",
        '    pytest "t.py::test[run1]" --squall-seed=0',
    ]


def test_of_many_ways_to_violate_it_five_are_told_and_the_rest_counted(tmp_path):
    ends = [TWICE | {"property": "at_most_once", "line": f"call_{at}"} for at in range(7)]
    lines = shown(tmp_path, *ends, verdict="passed")
    assert sum("pytest" in line for line in lines) == 5
    assert lines[-1] == "  … and 2 more"


def test_neither_are_passes_without_a_gate_and_tests_that_could_not_run(tmp_path):
    assert shown(tmp_path, PASSED, {"status": "skipped"}, verdict=None) == []
    assert shown(tmp_path, {"status": "failed", "mistake": "nothing awaits it"}) == []


def test_lost_runs_are_told(tmp_path):
    assert shown(tmp_path, PASSED, lost=["t.py::test[run1]"])[-1] == "  t.py::test[run1] was lost with its worker"


def test_long_lines_are_folded_between_words(tmp_path):
    line = " → ".join(["call_number_one"] * 9)
    lines = shown(tmp_path, {**TWICE, "line": line, "violated": "word " * 30}, width=80)
    assert max(map(len, lines)) <= 80
    assert lines[3].startswith("    call_number_one") or lines[3].startswith("    → call_number_one")
    assert folded("  short", 80, "    ") == ["  short"]


def test_a_text_is_cut_in_its_middle_and_never_wider_than_asked():
    assert cut("short", 10) == "short"
    assert cut("tests/test_a.py::test_x[case]", 20) == "tests/…:test_x[case]"
    assert all(len(cut("x" * 300, width)) == width for width in (20, 79, 80))


def test_ends_are_told_apart_by_calls_word_and_reason():
    ends: list[dict[str, Any]] = [TWICE, TWICE, {**TWICE, "line": "b"}, CRASH]
    runs = [RunRecord("g", at, **end) for at, end in enumerate(ends)]
    assert [[run.index for run in same] for same in alike(runs)] == [[0, 1], [2], [3]]
