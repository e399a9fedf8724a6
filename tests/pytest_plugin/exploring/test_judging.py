"""What pytest says of a run beside squall: what was raised, in which phase, and by whom."""

from __future__ import annotations

from typing import Any

import pytest

from squall.pytest_plugin.exploring.judging import beside
from squall.pytest_plugin.exploring.once import Phase, Subtest

NO_REPORT: Any = None


def phases(error=None, when="call"):
    return [Phase(each, error if each == when else None, NO_REPORT) for each in ("setup", "call", "teardown")]


def raised(error):
    try:
        raise error
    except BaseException as caught:
        return caught


@pytest.mark.parametrize(
    ("error", "status", "failure"),
    [
        (None, "passed", ""),
        (AssertionError("no"), "failed", "AssertionError at test_judging.py"),
        (KeyError("no"), "crashed", "KeyError at test_judging.py"),
        (pytest.fail.Exception("no"), "failed", "Failed at test_judging.py"),
        (pytest.skip.Exception("no"), "skipped", ""),
        (pytest.xfail.Exception("no"), "skipped", ""),
    ],
)
def test_an_error_says_how_a_run_ended(error, status, failure):
    found = beside(phases(None if error is None else raised(error)), [])
    assert (found[0], found[1].partition(":")[0]) == (status, failure)


def test_the_error_of_a_clean_up_counts_and_an_earlier_one_more():
    assert beside(phases(raised(KeyError("late")), "teardown"), [])[0] == "crashed"
    both = [*phases(raised(AssertionError("early")))[:2], *phases(raised(KeyError("late")), "teardown")[2:]]
    assert beside(both, [])[2] == "early"


@pytest.mark.parametrize(
    ("call", "teardown", "said"),
    [
        (KeyError("crash"), AssertionError("judged"), "judged"),
        (KeyError("crash"), pytest.fail.Exception("judged"), "judged"),
        (KeyError("crash"), OSError("late"), "'crash'"),
        (AssertionError("first"), AssertionError("judged"), "first"),
        (pytest.skip.Exception("skip"), AssertionError("judged"), "judged"),
        (pytest.xfail.Exception("known"), None, ""),
    ],
)
def test_a_crash_hides_no_judgement(call, teardown, said):
    found = beside([*phases(raised(call))[:2], Phase("teardown", teardown and raised(teardown), NO_REPORT)], [])
    assert found[2] == said


@pytest.mark.parametrize(("error", "status"), [(KeyError("x"), "failed"), (pytest.skip.Exception("x"), "skipped")])
def test_a_crash_hides_no_failed_subtest(error, status):
    assert beside(phases(raised(error)), [Subtest("assert 1 == 2", "")])[0] == status


def test_a_failed_subtest_fails_a_run_that_is_well_otherwise():
    assert beside(phases(), [Subtest("assert 1 == 2", "> assert 1 == 2")]) == (
        "failed",
        "a subtest",
        "assert 1 == 2",
    )
