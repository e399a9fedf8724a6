"""Markdown of what checks found: whatever a model wrote stays text in its cell."""

from __future__ import annotations

import pytest

from squall.reports.checked import CheckedRun
from squall.reports.checks_markdown import write


def run(reason, *, test="t.py::test_it", scenario=None, failed=("c",), skipped=None):
    verdict = {"check": "c", "verdict": "fail", "fired": True, "reason": reason, "step": 3}
    entry = {
        "test": test,
        "scenario": scenario,
        "skipped": skipped,
        "checked_by_test": False,
        "verdicts": [verdict],
    }
    return CheckedRun(entry, failed)


@pytest.fixture
def text(tmp_path):
    def made(runs):
        write(tmp_path / "made.md", runs, {})
        return (tmp_path / "made.md").read_text(encoding="utf-8")

    return made


def test_failed_runs_are_rows_with_a_line_for_each_reason(text):
    assert text([run("one; two"), run("x", failed=()), run("x", skipped="why")]) == (
        "### squall: 2 runs checked, 1 failed by checks\n"
        "\n"
        "| test | check | step | reason |\n"
        "| --- | --- | --- | --- |\n"
        "| t.py\\:\\:test\\_it | c | 3 | one<br>two |\n"
        "\n"
        "1 more was not judged.\n"
        "\n"
    )


def test_without_a_failed_run_there_is_no_table(text):
    assert text([run("x", failed=())]) == "### squall: 1 run checked, 0 failed by checks\n\n"


def test_a_jobs_summary_is_added_to_and_any_other_file_written_anew(tmp_path):
    path = tmp_path / "summary.md"
    path.write_text("before\n")
    write(path, [], {"GITHUB_STEP_SUMMARY": str(path)})
    assert path.read_text() == "before\n### squall: 0 runs checked, 0 failed by checks\n\n"
    write(path, [], {})
    assert path.read_text() == "### squall: 0 runs checked, 0 failed by checks\n\n"
