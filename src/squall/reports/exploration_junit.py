"""What explorations came to as JUnit XML: a suite for each, a case for each failure and for each place that held.

A failure is `<testcase classname=NAME name=VIOLATED><failure type=STATUS>` with its schedule and how to replay it (a
crash is an `<error>`). A kind of fault in a phase at a target is a case too, passed where no run with it failed, and
skipped where it was not tried; where a run with it failed it is told by the failures, so that their number is right.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree.ElementTree import Element, SubElement

from squall.reports.exploration import Exploration, Failure, choice_in_words, smallest, tried, verdict
from squall.reports.in_junit import held, whole
from squall.reports.visible import payload, visible

LONGEST = 500


def junit(explorations: Sequence[Exploration]) -> str:
    """The whole file."""
    root = Element("testsuites", name="squall")
    for each in explorations:
        _suite(root, each)
    return whole(root)


def _suite(root: Element, exploration: Exploration) -> None:
    held = [line for line in exploration.coverage.lines if not line.bad]
    crashed = sum(failure.status == "crashed" for failure in exploration.failures)
    suite = SubElement(
        root,
        "testsuite",
        name=_text(exploration.name),
        tests=str(len(exploration.failures) + len(held)),
        failures=str(len(exploration.failures) - crashed),
        errors=str(crashed),
        skipped=str(sum(not line.faulted for line in held)),
    )
    properties = SubElement(suite, "properties")
    SubElement(properties, "property", name="claim", value=_text(exploration.coverage.claim))
    for remark in exploration.remarks:
        SubElement(properties, "property", name="note", value=_text(remark))
    for failure in exploration.failures:
        _failed(suite, exploration.name, failure)
    for line in held:
        case = SubElement(suite, "testcase", classname=_text(line.target), name=_text(f"{line.kind} ({line.phase})"))
        if not line.faulted:
            SubElement(
                case,
                "skipped",
                message=f"{verdict(line, exploration.coverage)}: {', '.join(filter(None, tried(line)))}",
            )


def _failed(suite: Element, name: str, failure: Failure) -> None:
    case = SubElement(suite, "testcase", classname=_text(name), name=_text(failure.violated))
    kind = "error" if failure.status == "crashed" else "failure"
    first, *rest = failure.message.splitlines() or [failure.violated]
    wrong = SubElement(case, kind, type=failure.status, message=_text(payload(first, LONGEST)))
    told = [
        *(choice_in_words(choice, failure.calls) for choice in failure.schedule),
        smallest(failure),
        *(payload(line, LONGEST) for line in rest),
        failure.line,
        failure.replay,
    ]
    wrong.text = "\n".join(_text(each) for each in told if each)


def _text(words: str) -> str:
    return held(visible(words, LONGEST))
