"""Failures that are kept for a scenario, and what `squall explore` says has become of them."""

from __future__ import annotations

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
            ["Of 1 kept failure 1 is not met any more.", "Not met any more, which squall replay looks into: 0.json."],
        ),
    ],
)
def test_what_has_become_of_a_kept_failure(observed, notes):
    assert kept(observed) == notes


def test_of_many_that_are_not_met_the_first_are_named():
    assert kept(Observed("not_fired"), number=5)[1].endswith("looks into: 0.json, 1.json, 2.json ….")


def test_the_next_exploration_tells_what_has_become_of_a_failure(squall, calm):
    line = ("explore", calm, "--strategy", "baseline", "--kinds", "connection_lost", "--targets", "step0.*")
    assert squall(*line).status == 1
    assert "  Of 1 kept failure 1 is still there.\n" in squall(*line).out
    mended = squall(*line, "--may-give-up")
    assert mended.status == 0
    assert "  Of 1 kept failure 1 is passing now.\n" in mended.out
