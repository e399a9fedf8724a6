from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from squall.call import Target
from squall.decide import Decision, Keyed, Latency, Point, Rule, Rules, Scheduled, Situation

READ, WRITE = "orders.get_order", "payments.issue_refund"


def rule(number=0, kind="timeout", target=WRITE):
    return Rule(number, kind, (target,), "after")


def point(target=WRITE, digest="a", nth=1, attempt=1, scope="", wire="tool"):
    return Point(wire, scope, target, digest, nth, attempt)


def decide(decider, at):
    return decider.decide(Situation(Target(at.target, at.target.partition(".")[2]), at, {}, 0.0, lambda _: None))


def kinds(decider, points):
    return [decision.rule.kind if (decision := decide(decider, each)).rule else None for each in points]


# --------------------------------------------------------------------------------------------------- exact points


def test_a_rule_strikes_at_its_point_and_nowhere_else():
    decider = Scheduled({point(nth=2): rule()})
    others = [point(), point(digest="b"), point(READ, nth=2), point(nth=2, attempt=2), point(nth=2, scope="x")]
    assert kinds(decider, [*others, point(nth=2)]) == [None] * 5 + ["timeout"]


def test_several_points_each_get_their_own_rule():
    decider = Scheduled({point(READ): rule(0, "http_503", READ), point(): rule(1, "timeout")})
    assert kinds(decider, [point(READ), point(digest="b"), point()]) == ["http_503", None, "timeout"]


def test_without_any_rule_nothing_happens():
    assert decide(Scheduled({}), point()) == Decision(point())


def test_a_rule_strikes_once_even_where_its_point_occurs_again():
    assert kinds(Scheduled({point(): rule()}), [point(), point()]) == ["timeout", None]


def test_what_was_met_and_what_was_not_is_remembered():
    decider = Scheduled({point(READ): rule(0, "http_503", READ), point(nth=3): rule(1)})
    kinds(decider, [point(READ, digest="b"), point(READ), point()])
    match = decider.matched[point(READ)]
    assert (match.planned, match.met, match.arrival, match.by) == (point(READ), point(READ), 2, "point")
    assert decider.unmatched == (point(nth=3),)


# ---------------------------------------------------------------------------------------------- arrivals, if asked


def test_other_arguments_are_not_met_unless_that_is_asked_for():
    planned = point(digest="old")
    assert kinds(Scheduled({planned: rule()}), [point(digest="new")]) == [None]
    assert kinds(Scheduled({planned: rule()}, lenient=True), [point(digest="new")]) == ["timeout"]


def test_a_lenient_schedule_says_that_it_went_by_the_arrival():
    decider = Scheduled({point(digest="old", nth=2): rule()}, lenient=True)
    assert kinds(decider, [point(digest="x"), point(digest="y"), point(digest="z")]) == [None, "timeout", None]
    match = decider.matched[point(digest="old", nth=2)]
    assert (match.met, match.arrival, match.by) == (point(digest="y"), 2, "arrival")
    assert decider.unmatched == ()


def test_an_arrival_may_be_another_than_the_number_among_equal_calls():
    planned = point(digest="old")
    decider = Scheduled({planned: rule()}, lenient=True, arrivals={planned: 3})
    assert kinds(decider, [point(digest=each) for each in "xyz"]) == [None, None, "timeout"]


def test_an_exact_point_goes_before_an_arrival():
    first, second = point(digest="a"), point(digest="b", nth=2)
    decider = Scheduled({first: rule(0, "hang"), second: rule(1, "timeout")}, lenient=True)
    assert kinds(decider, [second, first]) == ["timeout", "hang"]
    assert {match.by for match in decider.matched.values()} == {"point"}


def test_a_rule_that_struck_by_its_arrival_does_not_strike_at_its_point_too():
    planned = point(digest="b")
    assert kinds(Scheduled({planned: rule()}, lenient=True), [point(digest="a"), planned]) == ["timeout", None]


def test_arrivals_are_counted_per_target_and_wire_whatever_the_scope():
    planned = point(digest="old", nth=2)
    calls = [point(digest="x"), point(READ), point(wire="model", digest="y"), point(digest="z", scope="other")]
    assert kinds(Scheduled({planned: rule()}, lenient=True), calls) == [None, None, None, "timeout"]


def test_attempts_of_one_call_are_one_arrival():
    planned = point("model.chat", "old", nth=2, attempt=2, wire="model")
    calls = [
        point("model.chat", "x", wire="model"),
        point("model.chat", "x", attempt=2, wire="model"),
        point("model.chat", "y", wire="model"),
        point("model.chat", "x", attempt=3, wire="model"),
        point("model.chat", "y", attempt=2, wire="model"),
    ]
    assert kinds(Scheduled({planned: rule()}, lenient=True), calls) == [None, None, None, None, "timeout"]


# -------------------------------------------------------------------------------------------------- what else there is


def test_another_decider_has_its_say_everywhere_else_and_about_latency():
    plan = Rules((Rule(7, "hang", (WRITE,), "after", first=1),), (Latency((WRITE,), 100, 100),))
    decider = Scheduled({point(nth=2): rule()}, otherwise=Keyed(plan))
    first, second, third = (decide(decider, point(nth=nth)) for nth in (1, 2, 3))
    assert (first.rule.kind, first.latency) == ("hang", 0.1)
    assert (second.rule.kind, second.latency) == ("timeout", 0.1)
    assert (third.rule, third.latency) == (None, 0.1)


def test_what_the_schedule_says_goes_before_a_refusal_of_the_other_decider():
    class Refusing:
        def decide(self, situation):
            return Decision(situation.point, retry_after=5.0)

    assert decide(Scheduled({point(): rule()}, otherwise=Refusing()), point()).retry_after is None
    assert decide(Scheduled({}, otherwise=Refusing()), point()).retry_after == 5.0


POINTS = st.builds(point, st.sampled_from((READ, WRITE)), st.sampled_from("abc"), st.integers(1, 3), st.integers(1, 2))


@given(st.lists(POINTS, unique=True, max_size=5), st.lists(POINTS, unique=True, max_size=20), st.booleans())
def test_each_rule_strikes_at_most_once_and_at_its_own_target(planned, calls, lenient):
    decider = Scheduled({at: rule(n, target=at.target) for n, at in enumerate(planned)}, lenient=lenient)
    struck = [decision for at in calls if (decision := decide(decider, at)).rule]
    assert len({decision.rule.id for decision in struck}) == len(struck)
    assert {decision.rule.id for decision in struck} == {n for n, at in enumerate(planned) if at in decider.matched}
    assert all(decision.rule.targets == (decision.point.target,) for decision in struck)
    assert lenient or {decision.point for decision in struck} == set(planned) & set(calls)
    assert set(decider.unmatched) == set(planned) - set(decider.matched)


def test_a_match_can_be_written_down():
    decider = Scheduled({point(): rule()})
    decide(decider, point())
    assert msgspec.json.decode(msgspec.json.encode(decider.matched[point()]))["by"] == "point"


@pytest.mark.parametrize("lenient", [False, True])
def test_a_schedule_counts_nothing_across_runs(lenient):
    rules = {point(digest="old", nth=2): rule()}
    calls = [point(digest=each) for each in "xyz"]
    assert kinds(Scheduled(rules, lenient=lenient), calls) == kinds(Scheduled(rules, lenient=lenient), calls)
