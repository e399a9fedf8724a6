from __future__ import annotations

from xml.etree import ElementTree

from msgspec.structs import replace

from squall.reports.lab_junit import junit
from squall.reports.summary import summarize


def read(runs):
    return ElementTree.fromstring(junit(summarize(runs), runs))  # noqa: S314 - our own text is what is tested


def test_there_is_a_suite_for_each_strategy_and_a_case_for_each_run(lab):
    suites = read(lab.runs).findall("testsuite")
    assert [(s.get("name"), s.get("tests"), s.get("failures")) for s in suites] == [
        ("resilient", "30", "1"),
        ("careless", "30", "15"),
        ("baseline", "30", "29"),
    ]
    case = suites[0][0]
    assert (case.get("classname"), case.get("name"), case.get("time")) == ("malformed-output", "seed 0, run 0", "1.900")


def test_a_failure_has_the_reasons(lab):
    [failure] = read(lab.runs).findall("testsuite[@name='resilient']/testcase/failure")
    assert (failure.get("type"), failure.get("message")) == ("failed", "the agent ends failed, not completed")


def test_a_run_that_never_met_its_fault_says_so(lab):
    [failure] = read(lab.runs).findall(".//failure[@type='not_fired']")
    assert failure.text == "a planned fault never happened"


def test_crashed_and_skipped_runs_are_told_apart(lab):
    crashed = replace(lab.runs[0], status="crashed", met=False, reasons=())
    skipped = replace(lab.runs[1], status="skipped", met=False, reasons=("no key",))
    suite = read([crashed, skipped]).find("testsuite")
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["2", "0", "1", "1"]
    assert suite.find("testcase/error").get("message") == "expectations do not hold"
    assert suite.find("testcase/skipped").get("message") == "no key"


def test_samples_are_named(lab):
    [case] = read([replace(lab.runs[0], sample=3)]).iter("testcase")
    assert case.get("name") == "seed 0, run 0, sample 3"


def test_whatever_a_run_says_the_file_is_xml(lab):
    odd = "<script>\u202e\x00\ud800\uffff" + "a" * 1_000_000
    run = replace(lab.runs[0], strategy=odd, scenario=odd, reasons=(odd,), met=False, status="failed")
    [suite] = read([run])
    assert suite.get("name").startswith("<script>\\u202e\\x00\\ud800")
    assert len(junit(summarize([run]), [run])) < 5000


def test_no_run_makes_an_empty_file():
    assert list(read([])) == []
