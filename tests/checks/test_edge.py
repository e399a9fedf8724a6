"""The suite of edge cases, as squall judges it: real SDKs, a provider in memory, and no word to squall."""

from __future__ import annotations

import importlib
from pathlib import Path

import pytest

from squall.capture import hooks

BENCH = Path(__file__).parents[2] / "bench"


@pytest.fixture(scope="module")
def play():
    """What plays the cases; the SDKs are imported with it."""
    hooked = hooks.installed()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(BENCH)
        yield importlib.import_module("edge.play")
    if not hooked:
        hooks.uninstall()


def test_each_failure_is_caught_by_the_checks_that_are_there_for_it(play):
    fired = {case: {each.check for each in play.judged(case)} for case in play.cases() if case.is_failure}
    assert len(fired) >= 40
    assert {case.name: checks for case, checks in fired.items() if checks != set(case.expects)} == {}


def test_nothing_fires_on_a_look_alike(play):
    fired = {case: play.judged(case) for case in play.cases() if not case.is_failure}
    assert len(fired) >= 40
    assert {case.name: verdicts for case, verdicts in fired.items() if verdicts} == {}


def test_each_reason_names_a_step(play):
    verdicts = [each for case in play.cases() if case.is_failure for each in play.judged(case)]
    assert [each for each in verdicts if each.step is None or "step" not in each.reason] == []
