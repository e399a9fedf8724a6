"""Failures that are kept for a scenario, and what `squall explore` says has become of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from squall.cli.kept import Kept
from squall.decide import Point
from squall.explore import Choice, Observed, Trial
from squall.store.regressions import FaultAt, Regression

FAULT = FaultAt("timeout", "after", "tool", "a.b", "d", 1, 1)
CHOICE = Choice(Point("tool", "", "a.b", "d", 1), "timeout", "after")


def kept(observed, number=1):
    found = [(Path(f"{place}.json"), Regression("t", "twice", "failed", (FAULT,), "")) for place in range(number)]
    told = Kept(found)
    if observed is not None:
        told(Trial(1, (CHOICE,), ""), observed)
    told(Trial(2, (), ""), Observed("failed", "another"))
    return told.notes


@pytest.mark.parametrize(
    ("observed", "notes"),
    [
        (None, []),
        (Observed("failed", "twice", fired=(CHOICE,)), ["Of 1 kept failure 1 is still there."]),
        (Observed("crashed", "KeyError", fired=(CHOICE,)), ["Of 1 kept failure 1 is failing otherwise."]),
        (Observed("passed", fired=(CHOICE,)), ["Of 1 kept failure 1 is passing now."]),
        (
            Observed("not_fired"),
            ["Of 1 kept failure 1 is not met any more.", "Not met any more, neither exactly nor by arrival: 0.json."],
        ),
    ],
)
def test_what_has_become_of_a_kept_failure(observed, notes):
    assert kept(observed) == notes


def test_of_many_that_are_not_met_the_first_are_named():
    assert kept(Observed("not_fired"), number=5)[1].endswith("nor by arrival: 0.json, 1.json, 2.json ….")


def test_the_next_exploration_tells_what_has_become_of_a_failure(squall, calm):
    line = ("explore", calm, "--strategy", "baseline", "--kinds", "connection_lost", "--targets", "step0.*")
    assert squall(*line).status == 1
    assert "  Of 1 kept failure 1 is still there.\n" in squall(*line).out
    mended = squall(*line, "--may-give-up")
    assert mended.status == 0
    assert "  Of 1 kept failure 1 is passing now.\n" in mended.out


LINE = ("--strategy", "careless", "--kinds", "timeout")


@pytest.fixture
def changed(squall, calm):
    """A kept failure whose call has other arguments by now."""
    squall("explore", calm, *LINE)
    (path,) = Path(".squall/regressions").iterdir()
    data = json.loads(path.read_text())
    data["schedule"][0]["digest"] = "0" * 16
    path.unlink()
    path = path.with_name("calm_careless-0.json")
    path.write_text(json.dumps(data, ensure_ascii=False))
    return path


def test_a_failure_whose_call_has_other_arguments_by_now_is_met_at_the_same_arrival_and_makes_no_second_file(
    squall, calm, changed
):
    again = squall("explore", calm, *LINE, "--json")
    told = json.loads(again.out)
    assert again.status == 1
    assert "Of 1 kept failure 1 is still there." in told["notes"]
    assert f"Met not exactly, but at the same arrival: {changed.name}." in told["notes"]
    (failure,) = told["failures"]
    assert (failure["kept"], Path(failure["file"]).name) == (True, changed.name)
    assert list(changed.parent.iterdir()) == [changed]
    assert squall("replay", changed).out.splitlines()[1] == (
        "  not exactly, but at the same arrival: step1.issue_refund #1"
    )


def test_one_that_is_mended_passes_now_at_the_same_arrival(squall, calm, changed):
    changed.write_text(changed.read_text().replace("calm × careless", "calm × resilient"))
    mended = squall("explore", calm, "--strategy", "resilient", "--kinds", "timeout")
    assert mended.status == 0
    said = " ".join(mended.out.split())
    assert f"Of 1 kept failure 1 is passing now. Met not exactly, but at the same arrival: {changed.name}." in said


def test_the_failure_of_another_text_of_the_scenario_is_a_file_of_its_own(squall, calm, changed):
    Path(calm).write_text(Path(calm).read_text() + "\n[expect]\nsteps = true\n")
    assert squall("explore", calm, *LINE).status == 1
    assert len(list(changed.parent.iterdir())) == 2


def test_a_call_that_is_not_made_any_more_is_not_met(squall, calm, changed):
    changed.write_text(changed.read_text().replace("step1.issue_refund", "step7.issue_refund"))
    said = " ".join(squall("explore", calm, *LINE).out.split())
    assert f"Not met any more, neither exactly nor by arrival: {changed.name}." in said
    assert "Met not exactly" not in said


@pytest.mark.parametrize("command", [("explore", "calm.toml", *LINE), ("replay",)])
def test_a_fault_that_cannot_be_made_any_more_is_wrong_input(squall, changed, command):
    changed.write_text(changed.read_text().replace('"kind": "timeout"', '"kind": "gone"'))
    done = squall(*command, *([changed] if command == ("replay",) else []))
    assert done.status == 2
    assert "a fault of this file cannot be made here: gone" in done.err
