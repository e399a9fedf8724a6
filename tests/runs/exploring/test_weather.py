"""A schedule as the weather of one run, `runs/exploring/weather.py`."""

from __future__ import annotations

from squall.decide import Point
from squall.explore import Choice
from squall.faults import Limits, Plan
from squall.runs.exploring import Weather

POINT = Point("tool", "", "payments.issue_refund", "d1", 1)


def plan(*choices: Choice) -> Plan:
    return Weather(choices).plan(Limits())


def test_a_schedule_is_a_plan_with_a_rule_for_each_fault_that_has_to_fire():
    made = plan(
        Choice(POINT, "timeout", "after"), Choice(Point("model", "", "model.chat", "d2", 1), "clean_eof", "before")
    )
    assert [(rule.id, rule.kind, rule.phase, rule.nth) for rule in made.rules.faults] == [
        (0, "timeout", "after", 1),
        (1, "clean_eof", "before", 1),
    ]
    assert [made.bound[rule.id].kind.wire for rule in made.rules.faults] == ["tool", "model"]
    assert [fields["targets"] for fields in made.described] == [["payments.issue_refund"], ["model.chat"]]


def test_a_calm_schedule_is_a_plan_of_nothing():
    assert plan().described == ()


def test_plans_are_the_same_whatever_was_planned_before():
    whole, fraction = (Choice(POINT, "http_429", "before", (("retry_after", number),)) for number in (2, 2.0))
    assert whole == fraction
    first = plan(whole).described, plan(fraction).described
    again = plan(fraction).described, plan(whole).described
    assert repr(first) == repr(tuple(reversed(again)))
    assert plan(whole).digest == plan(fraction).digest  # a canonical form knows one spelling of a number


def test_each_side_of_a_schedule_is_decided_by_one_who_knows_it():
    weather = Weather((Choice(POINT, "timeout", "after"),))
    assert weather.slots() == ()
    of_tools = weather.decider()
    assert of_tools.unmatched == (POINT,)
    weather = Weather((Choice(Point("model", "", "model.chat", "d2", 1), "clean_eof", "before"),))
    (slot,) = weather.slots()
    assert weather.decider().unmatched == ()
    assert len(weather.of_slot(slot, None).unmatched) == 1
    assert weather.of_slot(slot, None) is weather.of_slot(slot, None)
