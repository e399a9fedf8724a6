"""What checks found as JUnit XML."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from squall.reports.checked import CheckedRun
from squall.reports.checks_junit import write


def run(test, scenario, *failed, skipped=None, reason="a; b"):
    verdicts = [{"check": name, "verdict": "fail", "fired": True, "reason": reason, "step": 4} for name in failed]
    entry = {"test": test, "scenario": scenario, "latency_ms": 1500.0, "skipped": skipped, "checked_by_test": False}
    return CheckedRun({**entry, "verdicts": verdicts}, failed)


@pytest.fixture
def written(tmp_path):
    def make(*runs):
        write(tmp_path / "o.xml", runs)
        return ElementTree.parse(tmp_path / "o.xml").getroot()  # noqa: S314 - it was just written

    return make


def test_a_suite_for_each_file_and_a_case_for_each_run(written):
    root = written(run("a", "1"), run("a", "2", "x", "y"), run("b", None, skipped="off"))
    first, second = root
    assert dict(first.items()) == {
        "name": "a",
        "tests": "2",
        "failures": "1",
        "errors": "0",
        "skipped": "0",
        "time": "3.000",
    }
    assert [case.get("name") for case in first] == ["1", "2"]
    assert [(each.get("type"), each.get("message"), each.text) for each in first[1]] == [
        ("x", "x: a", "step 4: a; b"),
        ("y", "y: a", "step 4: a; b"),
    ]
    assert (second[0].get("name"), [each.tag for each in second[0]]) == ("b", ["skipped"])


def test_whatever_a_model_wrote_the_file_is_xml(written):
    root = written(run("a", "\x00<&\ud800", "x", reason="\x1b[31m ]]> \uffff"))
    assert root[0][0].get("name") == "\ufffd<&\ufffd"


def test_a_check_that_gives_no_reason_still_has_a_message(written):
    assert written(run("a", "1", "x", reason=None))[0][0][0].get("message") == "x: it fired"
