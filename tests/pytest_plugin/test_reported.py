"""The table of runs without a gate says what pytest's own reports say."""

from __future__ import annotations

import pytest

AFTER_SQUALL = """
    import pytest

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_makereport(item, call):
        report = yield
        if call.when == "{when}" and item.name != "test_it[run1]":
            report.outcome, report.longrepr = "failed", "a leak was found\\nin the end"
        return report
"""
RUNS = """
    import pytest

    @pytest.mark.runs(3)
    def test_it(): pass
"""


@pytest.mark.parametrize(("when", "word"), [("call", "failed"), ("setup", "errors"), ("teardown", "errors")])
def test_a_failure_that_another_plug_in_adds_counts(session, pytester, when, word):
    pytester.makeconftest(AFTER_SQUALL.format(when=when))
    done = session(RUNS)
    assert done.counts[word] == 2
    assert "test_it.py::test_it     1/3  33 %" in done.text


def test_without_one_all_runs_pass(session, pytester):
    pytester.makeconftest(AFTER_SQUALL.format(when="never"))
    done = session(RUNS)
    assert done.counts == {"passed": 3}
    assert "test_it.py::test_it     3/3  100 %" in done.text


def test_a_gate_counts_it_too(session, pytester):
    pytester.makeconftest(AFTER_SQUALL.format(when="call"))
    done = session(RUNS.replace("(3)", "(3)\n    @pytest.mark.min_pass_rate(0.5)"))
    assert done.counts == {"failed": 1}
    assert "gate: 1 of 3 runs passed, required 50 %" in done.text
    assert "runs 0, 2 failed\n    a leak was found\n" in done.text


def test_a_run_that_passes_when_it_is_run_again_passes(session, pytester):
    pytest.importorskip("pytest_rerunfailures")
    pytester.makeconftest(
        """
        import pytest
        told = []

        @pytest.hookimpl(wrapper=True)
        def pytest_runtest_makereport(item, call):
            report = yield
            if call.when == "call" and item.name not in told:
                told.append(item.name)
                report.outcome, report.longrepr = "failed", "flaky"
            return report
        """
    )
    done = session(RUNS, "--reruns=1", plugins=["rerunfailures"])
    assert done.counts == {"passed": 3, "rerun": 3}
    assert "test_it.py::test_it     3/3  100 %" in done.text
