"""The end of a session: its summary, and the files that were asked for."""

from __future__ import annotations

import json
import stat

import pytest

from squall.trace.formats import load_otlp

TWO = """
def test_fine():
    agent(FINE)

def test_loop():
    agent(LOOP)
"""


def test_the_json_file_has_every_run_with_all_of_its_verdicts(suite, report):
    suite(TWO, report.option)
    whole = json.loads(report.text)
    assert list(whole) == ["tool", "version", "runs", "summary"]
    assert whole["tool"] == "squall"
    fine, loop = whole["runs"]
    assert list(fine) == [
        "test",
        "scenario",
        "steps",
        "model_calls",
        "attempts",
        "tokens",
        "latency_ms",
        "capture_complete",
        "skipped",
        "checked_by_test",
        "verdicts",
    ]
    assert (fine["test"], fine["scenario"], fine["steps"], fine["model_calls"]) == ("test_it.py::test_fine", None, 3, 2)
    assert (fine["capture_complete"], fine["skipped"], fine["checked_by_test"]) == (True, None, False)
    assert len(fine["verdicts"]) >= 12
    assert {(each["verdict"], each["fired"]) for each in fine["verdicts"]} == {("pass", False)}
    (fired,) = (each for each in loop["verdicts"] if each["fired"])
    assert list(fired) == ["check", "verdict", "fired", "reason", "step"]
    assert (fired["check"], fired["verdict"], fired["step"]) == ("repeated_tool_call", "fail", 6)
    assert whole["summary"] == {
        "runs": 2,
        "failed_runs": 1,
        "skipped_runs": 0,
        "fired": {"repeated_tool_call": 1},
    }


def test_without_a_run_the_file_says_so(suite, report):
    suite("def test_it(): pass", report.option)
    assert report.runs == []
    assert report.summary == {"runs": 0, "failed_runs": 0, "skipped_runs": 0, "fired": {}}


def test_the_same_session_writes_the_same_file_but_for_how_long_it_took(suite, report, pytester):
    texts = []
    for _ in range(2):
        suite(TWO, report.option, "--squall-markdown=out/checks.md")
        runs = [{**run, "latency_ms": 0} for run in report.runs]
        texts.append((runs, (pytester.path / "out/checks.md").read_text()))
    assert texts[0] == texts[1]


def test_secrets_are_masked_everywhere_and_only_masked_out_where_that_is_said(suite, report, pytester):
    code = """
@pytest.mark.parametrize("mail", ["jo@example.com"])
def test_it(mail):
    agent([*(call("find", mail=mail) for _ in range(3)), say("done")])
"""
    options = (report.option, "--squall-markdown=out/checks.md")
    done = suite(code, *options)
    told = done.text[done.text.index("E   repeated") : done.text.index("AgentCheckFailed")]
    written = report.text + (pytester.path / "out/checks.md").read_text()
    assert "jo@example.com" not in told + written
    assert "[masked email]" in told
    assert "[masked email]" in report.text
    done = suite(code, *options, "--squall-redact=off")
    assert "find(mail='jo@example.com')" in done.text
    assert "find(mail='jo@example.com')" in report.text


def test_the_markdown_file_has_a_table_of_the_failed_runs(suite, pytester):
    suite(TWO, "--squall-markdown=checks.md")
    lines = (pytester.path / "checks.md").read_text().splitlines()
    assert lines[:4] == [
        "### squall: 2 runs checked, 1 failed by checks",
        "",
        "| test | check | step | reason |",
        "| --- | --- | --- | --- |",
    ]
    assert lines[4].startswith(r"| test\_it.py\:\:test\_loop | repeated\_tool\_call | 6 | find(q='x') gave ")
    assert lines[5:] == [""]


@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_exported_runs_are_raw_and_loud_and_for_their_owner_alone(suite, pytester, workers):
    done = suite(TWO, "--squall-export-otlp=runs.json", *workers)
    path = pytester.path / "runs.json"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert "RAW PAYLOADS, nothing in them is masked" in done.text
    assert str(path) in done.text
    assert len(list(load_otlp(path))) == 2
    assert "Please." in path.read_text()


def test_a_file_that_cannot_be_written_is_told_of_and_changes_the_exit_status(suite, pytester):
    (pytester.path / "file").write_text("")
    done = suite("def test_it(): agent(FINE)", "--squall-json=file/checks.json")
    assert done.counts == {"passed": 1}
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    assert "file" in done.text.rpartition("checked, 0 failed by checks")[2]


def test_files_that_the_project_names_are_in_its_own_folder(suite, pytester, monkeypatch):
    (pytester.path / "pyproject.toml").write_text('[tool.squall]\njson = "out/all.json"\n')
    (pytester.mkdir("sub") / "test_sub.py").write_text("from suite_agents import *\ndef test_it(): agent(FINE)\n")
    monkeypatch.chdir(pytester.path / "sub")
    assert suite(None, "--rootdir=..").counts == {"passed": 1}
    assert (pytester.path / "out/all.json").is_file()


def test_what_fails_nothing_is_told_in_the_summary(suite):
    done = suite(
        """
def test_it():
    agent([call("refund", order="7"), say("I could not do it. Next, I will look at the order.")])
""",
        "-W",
        "error",
        "--squall-checks=announced_not_done",
    )
    assert done.counts == {"passed": 1}
    assert "squall: 1 run checked, 0 failed by checks" in done.text
    assert "\ntest_it.py::test_it\n  warning: announced_not_done  " in done.text
