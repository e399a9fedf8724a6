from __future__ import annotations

import pytest

from squall.pytest_plugin.record import RunRecord
from squall.pytest_plugin.verdict import Required, decide, percent, word


def runs(*statuses, **common):
    return {at: RunRecord("t.py::test", at, status=status, **common) for at, status in enumerate(statuses)}


def judge(records, rate=0.5, lost=0, size=None, *, stopped=False, confidence=None):
    required = None if rate is None else Required(rate, confidence)
    return decide(records, len(records) + lost if size is None else size, required, lost, stopped=stopped)


def test_enough_passes_are_a_pass():
    assert judge(runs("passed", "failed")) == ("passed", "gate: 1 of 2 runs passed, required 50 %")


def test_too_few_passes_are_a_failure():
    assert judge(runs("passed", "failed", "crashed"), 0.95) == ("failed", "gate: 1 of 3 runs passed, required 95 %")


def test_a_rate_that_is_met_exactly_is_met():
    assert judge(runs(*["passed"] * 19, "failed"), 0.95).outcome == "passed"
    assert judge(runs(*["passed"] * 7, *["failed"] * 3), 0.7).outcome == "passed"


def test_with_a_confidence_the_runs_must_show_the_rate():
    assert judge(runs(*["passed"] * 59), 0.95, confidence=0.95) == (
        "passed",
        "gate: 59 of 59 runs passed, required 95 % at 95 % confidence: the true rate is at least 95.04 %",
    )
    assert judge(runs(*["passed"] * 20), 0.95, confidence=0.95) == (
        "inconclusive",
        (
            "gate inconclusive: 20 of 20 runs passed, required 95 % at 95 % confidence: "
            "it passes with 39 more runs if all of them pass"
        ),
    )
    assert judge(runs(*["passed"] * 10, *["failed"] * 10), 0.95, confidence=0.95) == (
        "failed",
        "gate: 10 of 20 runs passed, required 95 % at 95 % confidence: the true rate is at most 69.81 %",
    )


def test_with_a_confidence_too_a_run_that_did_not_pass_is_no_pass():
    records = runs(*["passed"] * 58, "skipped")
    assert judge(records, 0.95, confidence=0.95).outcome == "inconclusive"
    assert judge(runs(*["passed"] * 58), 0.95, lost=1, confidence=0.95).outcome == "inconclusive"
    assert judge(runs("skipped", "skipped"), 0.95, confidence=0.95).outcome == "skipped"


def test_a_gate_with_confidence_that_is_expected_to_fail():
    assert judge(runs(*["failed"] * 9, expected="bug 7"), 0.95, confidence=0.95).outcome == "xfailed"
    assert judge(runs(*["passed"] * 59, expected="bug 7"), 0.95, confidence=0.95).outcome == "xpassed"


@pytest.mark.parametrize(("status", "word"), [("skipped", "skipped"), ("not_fired", "not fired"), ("hung", "hung")])
def test_a_run_that_tested_nothing_is_no_pass_and_is_told(status, word):
    assert judge(runs("passed", status), 0.6) == ("failed", f"gate: 1 of 2 runs passed (1 {word}), required 60 %")


def test_a_lost_run_is_no_pass():
    assert judge(runs("passed"), 0.6, lost=1) == (
        "failed",
        "gate: 1 of 2 runs passed (1 lost with its worker), required 60 %",
    )


def test_a_lost_run_does_not_fail_a_gate_that_can_spare_it():
    assert judge(runs("passed"), 0.5, lost=1).outcome == "passed"


def test_a_gate_that_lost_all_runs_fails_though_nobody_knows_what_it_requires():
    assert judge({}, None, lost=3) == ("failed", "gate: 0 of 3 runs passed (3 lost with their worker)")


def test_a_stopped_session_leaves_a_gate_undecided():
    verdict = judge(runs("passed"), size=4, stopped=True)
    assert verdict == ("undecided", "gate undecided: 1 of 4 runs had ended when the session stopped")


def test_a_stopped_session_does_not_undo_a_gate_whose_runs_are_all_in():
    assert judge(runs("passed"), stopped=True).outcome == "passed"


def test_all_runs_skipped_is_skipped_with_the_reasons():
    records = runs("skipped", "skipped", violated="no key")
    assert judge(records) == ("skipped", "all 2 runs were skipped: no key")
    assert judge(runs("skipped")).sentence == "the run was skipped"


def test_runs_that_are_missing_without_a_reason_are_told():
    assert judge(runs("passed"), size=3).sentence == "gate: 1 of 3 runs passed (2 never run), required 50 %"


def test_a_gate_that_was_expected_to_fail_and_does_is_an_expected_failure():
    assert judge(runs("failed", "failed", expected="bug 7")) == (
        "xfailed",
        "bug 7 - gate: 0 of 2 runs passed, required 50 %",
    )


def test_a_failure_of_another_kind_than_expected_fails_the_gate():
    records = runs("failed", "crashed", expected="bug 7")
    records[1].expected = None
    assert judge(records).outcome == "failed"


def test_a_gate_that_was_expected_to_fail_and_passes_is_a_surprise():
    assert judge(runs("passed", "passed", expected="bug 7")) == ("xpassed", "bug 7")


def test_a_strict_expectation_that_is_not_met_is_a_failure():
    verdict = judge(runs("passed", "passed", expected="bug 7", strict=True))
    assert verdict.outcome == "failed"
    assert verdict.sentence.startswith("[XPASS(strict)] bug 7")


@pytest.mark.parametrize(("rate", "text"), [(0.95, "95 %"), (1, "100 %"), (0.999, "99.9 %"), (2 / 3, "66.67 %")])
def test_rates_are_told_in_percent(rate, text):
    assert percent(rate) == text


def test_a_test_that_could_not_run_fails_by_its_mistake_whatever_the_rate():
    records = runs("failed", "failed", mistake="nothing awaits it")
    assert judge(records, 0) == ("failed", "nothing awaits it")
    assert judge(runs("failed", mistake="nothing awaits it", expected="bug 7"), 0.5).outcome == "xfailed"


@pytest.mark.parametrize(
    ("run", "said"),
    [
        ({"status": "passed"}, "passed"),
        ({"status": "failed"}, "failed"),
        ({"status": "not_fired"}, "failed"),
        ({"status": "hung"}, "failed"),
        ({"status": "skipped"}, "skipped"),
        ({"status": "failed", "expected": "bug 7"}, "xfailed"),
        ({"status": "passed", "expected": "bug 7"}, "xpassed"),
        ({"status": "passed", "expected": "bug 7", "strict": True}, "failed"),
    ],
)
def test_a_run_without_a_gate_is_called_what_pytest_calls_it(run, said):
    assert word(RunRecord("t.py::test", 0, **run)) == said
