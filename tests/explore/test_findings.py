from __future__ import annotations

from itertools import permutations

from squall.decide import Point
from squall.explore import Choice, Finding, Observed
from squall.explore.findings import Findings


def faults(*targets):
    return tuple(Choice(Point("tool", "", target, "d", 1), "timeout", "after") for target in targets)


def bad(failure, *targets, message="", status="failed"):
    return Observed(status, failure, message, fired=faults(*targets))


RUNS = (
    (3, bad("twice", "a", "b", message="third")),
    (5, bad("twice", "c", message="fifth")),
    (7, bad("twice", "d", message="seventh")),
    (4, bad("", "a", status="hung")),
)


def test_failures_are_grouped_and_the_smallest_schedule_is_kept_whatever_the_order():
    for order in permutations(RUNS):
        findings = Findings()
        for trial, observed in order:
            findings.take(trial, observed)
        assert findings.all() == [
            Finding("twice", "failed", "fifth", faults("c"), trial=5, first=3, times=3, alike=faults("d")),
            Finding("hung", "hung", "", faults("a"), trial=4, first=4, times=1),
        ]
        assert len(findings) == 2


def test_faults_that_show_the_same_alone_are_named_beside_a_single_one_and_not_beside_several():
    findings = Findings()
    findings.take(2, bad("twice", "a", "b"))
    assert findings.all()[0].alike == ()
    findings.take(4, bad("twice", "a"))
    findings.take(3, bad("twice", "b"))
    (found,) = findings.all()
    assert (found.schedule, found.alike) == (faults("b"), faults("a"))


def test_what_was_planned_and_did_not_fire_is_no_part_of_a_finding():
    findings = Findings()
    findings.take(1, Observed("failed", "x", fired=()))
    assert findings.all()[0].schedule == ()
