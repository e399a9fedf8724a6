"""What runs sum up to."""

from __future__ import annotations

from squall.reports.checked import CheckedRun, Tally


def run(*fired, skipped=None, by_test=False, failed=None):
    verdicts = [{"check": each, "verdict": "fail", "fired": True, "reason": "why", "step": 1} for each in fired] + [
        {"check": "z", "verdict": "pass", "fired": False, "reason": None, "step": None}
    ]
    entry = {"test": "t", "scenario": None, "skipped": skipped, "checked_by_test": by_test, "verdicts": verdicts}
    return CheckedRun(entry, fired if failed is None else failed)


def test_runs_are_counted_by_what_they_came_to():
    runs = [run(), run("b", "a"), run("b", failed=()), run("c", skipped="why"), run("c", by_test=True)]
    assert Tally(runs).summary == {"runs": 5, "failed_runs": 1, "skipped_runs": 1, "fired": {"a": 1, "b": 2}}
    assert Tally(runs).headline == "4 runs checked, 1 failed by checks"


def test_one_run_is_a_run():
    assert Tally([run()]).headline == "1 run checked, 0 failed by checks"
