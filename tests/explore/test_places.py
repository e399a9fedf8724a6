from __future__ import annotations

from squall.decide import Point
from squall.explore import Choice, Seen
from squall.explore.places import Cell, Places


def place(target, nth=1, attempt=1, *, wire="tool", digest="d", kinds=("timeout", "hang")):
    point = Point(wire, "", target, digest, nth, attempt)
    return Seen(point, 0, "read", tuple(Choice(point, kind, "after") for kind in kinds))


def known(*baseline, **filters):
    places = Places(**filters)
    places.begin(baseline)
    return places


def test_a_choice_keeps_its_number_and_a_key_has_no_order():
    places = known(place("a"), place("b"))
    one, other = place("a").choices[0], place("b").choices[0]
    assert places.choice(places.number(one)) == one
    assert places.key((one, other)) == places.key((other, one))
    assert places.key((one,)) != places.key((other,))


def test_a_call_that_no_run_without_faults_makes_is_revealed():
    places = known(place("a"))
    assert places.note([place("a"), place("a", 2), place("b"), place("a", attempt=2)]) == [False, True, True, True]
    assert places.revealed == {place("a", 2).point, place("b").point, place("a", attempt=2).point}


def test_a_model_is_asked_other_things_after_a_fault_and_only_one_question_more_is_revealed():
    places = known(place("model.chat", wire="model"), place("a"))
    later = [place("model.chat", wire="model", digest=digest) for digest in "xy"]
    assert places.note(later) == [False, True]
    assert places.note([place("model.chat", wire="model", digest="x", attempt=2)]) == [True]  # a client's own retry


def test_where_runs_are_not_repeatable_only_one_call_more_is_revealed():
    places = known(place("a", digest="1"), place("b", digest="2"))
    places.repeatable = False
    assert places.note([place("a", digest="3"), place("b", digest="4"), place("b", digest="5")]) == [False, False, True]


def test_what_is_revealed_does_not_depend_on_the_order_of_runs():
    runs = [[place("a"), place("b")], [place("c"), place("b", 2)], [place("c")]]
    one, other = known(place("a")), known(place("a"))
    for run in runs:
        one.note(run)
    for run in reversed(runs):
        other.note(run)
    assert (one.revealed, one.cells) == (other.revealed, other.cells)


def test_filters_take_kinds_and_targets_away_and_remember_them():
    places = known(place("a.x"), place("b.x"), kinds=("time*",), targets=("a.*",))
    assert places.schedule(places.at(place("a.x"))) == place("a.x").choices[:1]
    assert places.at(place("b.x")) == ()
    assert places.left_out == {("a.x", "hang"), ("b.x", "timeout"), ("b.x", "hang")}
    assert set(places.cells) == {Cell("tool", "a.x", "timeout", "after")}


def test_globs_that_no_fault_has_met_are_idle():
    assert known(place("a"), kinds=("timeout", "timeuot"), targets=("a", "z*")).idle() == ["timeuot", "z*"]
    assert known(place("a")).idle() == []


def test_a_place_offers_what_the_run_that_shows_it_says():
    places = known(place("a"))
    places.note([place("a", kinds=("hang",))])
    assert [choice.kind for choice in places.schedule(places.at(place("a")))] == ["timeout", "hang"]
    assert [choice.kind for choice in places.schedule(places.at(place("a", kinds=("hang",))))] == ["hang"]


def test_in_place_of_a_fault_there_are_others_at_the_same_call_and_before():
    places = known(place("a"), place("a", 2), place("a", 2, 2), place("a", 3), place("a", digest="e"), place("b"))
    others = {(choice.point.nth, choice.point.attempt) for choice in places.others(place("a", 2, 2).choices[0])}
    assert others == {(1, 1), (2, 1), (2, 2)}
    assert {choice.point.target for choice in places.others(place("a").choices[0])} == {"a"}


def test_of_globs_over_targets_that_are_idle_the_nearest_target_is_known():
    seen = place("model.chat"), place("payments.issue_refund"), place("step1.issue")
    near = known(*seen, targets=("model.chta", "paymnts.*", "step9.issue", "quite.else", "payments.*")).near()
    assert near == {"model.chta": "model.chat", "paymnts.*": "payments.*", "step9.issue": "step1.issue"}
