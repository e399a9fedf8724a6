from __future__ import annotations

from xml.etree.ElementTree import fromstring

from msgspec.structs import replace

from squall.explore import Line
from squall.reports.exploration_junit import junit


def cases(exploration):
    (suite,) = fromstring(junit([exploration]).encode())  # noqa: S314 - it was written here
    return suite, suite.findall("testcase")


def test_each_failure_is_a_case_and_so_is_each_place_that_held(exploration):
    suite, found = cases(exploration)
    assert suite.attrib == {
        "name": "refund agent",
        "tests": "11",
        "failures": "1",
        "errors": "0",
        "skipped": "0",
    }
    (failed,) = [case for case in found if len(case)]
    assert failed.get("classname") == "refund agent"
    failure = failed.find("failure")
    assert failure is not None
    assert failure.get("type") == "failed"
    assert failure.get("message") == "at most one refund per order, but '7' has 2:"
    lines = (failure.text or "").splitlines()
    assert lines[0] == "timeout, after the effect, at payments.issue_refund"
    assert lines[-1] == "squall replay kept/0.json"
    assert {(case.get("classname"), case.get("name")) for case in found} >= {
        ("payments.issue_refund", "timeout (before)"),
        ("payments.list_refunds", "timeout (after)"),
    }
    assert ("payments.issue_refund", "timeout (after)") not in {(c.get("classname"), c.get("name")) for c in found}


def test_the_claim_and_what_limits_it_are_properties(exploration):
    suite, _ = cases(exploration)
    told = [(each.get("name"), each.get("value")) for each in suite.iter("property")]
    assert told[0] == ("claim", exploration.coverage.claim)
    assert ("note", "A note.") in told


def test_what_was_not_tried_is_skipped(exploration):
    line = Line("tool", "a.b", "timeout", "after", 3, 0, 0, 0)
    suite, found = cases(exploration._replace(coverage=replace(exploration.coverage, lines=(line,)), failures=()))
    (skipped,) = found[0]
    assert (skipped.tag, skipped.get("message")) == ("skipped", "not tried: 0 of 3 behind a fault")
    assert suite.get("skipped") == "1"


def test_a_crash_is_an_error(exploration):
    crashed = exploration.failures[0]._replace(status="crashed", message="")
    suite, found = cases(exploration._replace(failures=(crashed,)))
    assert (suite.get("errors"), suite.get("failures")) == ("1", "0")
    error = found[0].find("error")
    assert error is not None
    assert error.get("message") == crashed.violated


def test_what_xml_cannot_hold_is_left_out(exploration):
    odd = exploration._replace(name="a\x00\x1b]\ud800<b>")
    suite, _ = cases(odd)
    assert "<b>" in (suite.get("name") or "")
