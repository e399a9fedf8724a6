"""What goes wrong in squall itself is a warning and an unknown verdict, never a failed test."""

from __future__ import annotations

import pytest

from squall.checks.kinds import search_loop
from squall.pytest_plugin.checking import judged, sections

FINE = "def test_it(): agent(FINE)"


def broken(*_args, **_kwargs):
    raise ZeroDivisionError("ours")


@pytest.mark.parametrize("warnings", [(), ("-W", "error")])
def test_a_check_that_breaks_is_unknown_and_told(suite, report, monkeypatch, warnings):
    monkeypatch.setattr(search_loop.SearchLoop, "run", broken)
    done = suite(FINE, report.option, *warnings)
    assert done.counts["passed"] == 1
    assert "failed" not in done.counts
    assert "search_loop: check crashed: ZeroDivisionError\n" in done.text.partition("warnings summary")[2]
    assert "  search_loop: check crashed: ZeroDivisionError" in done.text
    verdicts = {each["check"]: each["verdict"] for each in report.runs[0]["verdicts"]}
    assert verdicts.pop("search_loop") == "unknown"
    assert set(verdicts.values()) == {"pass"}
    assert report.summary["failed_runs"] == 0


@pytest.mark.parametrize("what", ["judge", "entry_of"])
def test_a_bug_in_judging_makes_all_verdicts_unknown(suite, report, monkeypatch, what):
    whole, tries = getattr(judged, what), []

    def once(*args, **kwargs):
        tries.append(1)
        return whole(*args, **kwargs) if len(tries) > 1 else broken()

    monkeypatch.setattr(judged, what, once)
    done = suite(FINE, report.option)
    assert done.counts["passed"] == 1
    assert "squall could not judge a run; please report this as a bug of squall" in done.text
    assert {each["verdict"] for each in report.runs[0]["verdicts"]} == {"unknown"}
    assert not report.runs[0]["capture_complete"]


@pytest.mark.parametrize("where", ["records", "end", "__init__"])
def test_a_bug_around_it_is_a_warning(suite, monkeypatch, where):
    monkeypatch.setattr(judged.Watch, where, broken)
    done = suite(FINE)
    assert done.counts["passed"] == 1
    assert "squall could not judge this test (ZeroDivisionError: ours)" in done.text


def test_a_bug_in_telling_leaves_the_test_failed(suite, monkeypatch):
    monkeypatch.setattr(sections, "representation", broken)
    done = suite("def test_it(): agent(LOOP)")
    assert done.counts["failed"] == 1
    assert "repeated_tool_call" in done.text
