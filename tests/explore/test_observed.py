from __future__ import annotations

import pytest

from squall.explore import Observed


@pytest.mark.parametrize(
    ("status", "bad"),
    [("passed", False), ("failed", True), ("crashed", True), ("hung", True), ("not_fired", False), ("skipped", False)],
)
def test_failures_crashes_and_hangs_are_something_to_report(status, bad):
    assert Observed(status).bad is bad


def test_a_failure_that_nobody_named_is_known_by_its_status():
    assert Observed("hung").what == "hung"
    assert Observed("failed", "at_most_once: refunds").what == "at_most_once: refunds"


@pytest.mark.parametrize(
    ("observed", "words"),
    [
        (Observed("passed"), "passed"),
        (Observed("failed", "at_most_once"), "failed (at_most_once)"),
        (Observed("skipped"), "was skipped"),
        (Observed("not_fired"), "did not meet its faults"),
    ],
)
def test_how_a_run_ended_is_the_rest_of_a_sentence(observed, words):
    assert observed.ended == words
