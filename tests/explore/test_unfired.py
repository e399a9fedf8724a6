"""Faults that were planned and have not happened, with the reason of each."""

from __future__ import annotations

import pytest

from squall.decide import Point
from squall.explore import Choice, Observed, Search, Seen

KINDS = ("http_503", "cut")


def point(digest, wire="model"):
    return Point(wire, "", f"{wire}.x", digest, 1)


def seen(*points):
    return tuple(
        Seen(each, place, choices=tuple(Choice(each, kind, "after") for kind in KINDS))
        for place, each in enumerate(points)
    )


def searched(toys, play, again=None):
    search = Search(play(()), confirm_baseline=(again or play)(()))
    toys.drive(search, play)
    return search.coverage()


def agent(*points, why="the reply has no call"):
    """One at whose points nothing can be cut."""

    def play(schedule):
        met = [choice for choice in schedule if choice.point in points]
        fired = tuple(choice for choice in met if choice.kind != "cut")
        spared = tuple((choice, why) for choice in met if choice.kind == "cut") if why else ()
        return Observed(
            "passed" if len(fired) == len(schedule) else "not_fired", seen=seen(*points), fired=fired, spared=spared
        )

    return play


def test_what_cannot_happen_to_a_reply_is_not_counted_and_named_with_the_reason(toys):
    coverage = searched(toys, agent(point("a"), point("b")))
    assert coverage.claim == "Every single fault (2): no failure."
    places = [f"cut at the {number} call of model.x (the reply has no call)" for number in ("1st", "2nd")]
    assert coverage.notes == (f"Not counted, since the reply there cannot be changed so: {'; '.join(places)}.",)
    assert [(line.kind, line.seen, line.faulted) for line in coverage.lines] == [("http_503", 2, 2)]
    assert coverage.shares[0].impossible == 2
    assert not coverage.shows_nothing


@pytest.mark.parametrize("play", [agent(point("a"), why=""), agent(point("a", "tool"), why="nothing there")])
def test_what_stays_away_elsewhere_or_without_a_reason_counts_as_not_tried(toys, play):
    coverage = searched(toys, play)
    assert coverage.claim == "50 % of single faults (1 of 2): no failure."
    assert coverage.notes[0] == "1 single fault never fired, which counts as not tried."
    assert coverage.notes[1].startswith("Did not happen where planned: cut")


def test_where_runs_are_not_repeatable_another_one_may_have_another_reply(toys):
    coverage = searched(toys, agent(point("a")), lambda _: Observed("passed", seen=seen(point("a"), point("b"))))
    assert coverage.notes[2] == (
        "Did not happen where planned: cut at the 1st call of model.x (the reply has no call); "
        "http_503 and cut at the 2nd call of model.x (no call was the same)."
    )
    assert coverage.shares[0].impossible == 0


def test_a_call_that_is_not_made_under_the_fault_is_told(toys):
    def play(schedule):
        return Observed("not_fired" if schedule else "passed", seen=() if schedule else seen(point("a")))

    coverage = searched(toys, play)
    assert "Did not happen where planned: http_503 and cut at model.x (no call was the same)." in coverage.notes


def test_an_exploration_in_which_nothing_could_happen_shows_nothing(toys):
    def play(schedule):
        spared = tuple((choice, "it was a stream") for choice in schedule)
        return Observed("not_fired" if schedule else "passed", seen=seen(point("a")), spared=spared)

    coverage = searched(toys, play)
    assert coverage.shows_nothing
    assert coverage.claim == "There is no place where a fault could happen: nothing was explored."
