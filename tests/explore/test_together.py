"""Several faults at one point, where they can follow each other there: what a search makes of it."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squall.decide import Point
from squall.explore import Choice, Observed, Search, Seen, shrink, simpler_by

SLOTS = {"delay": 0, "slow": 0, "cut": 1, "end": 2}
"""Which part of a request a kind is about: those of different parts go together, in this order."""


def follows(first, then):
    return SLOTS[first.kind] < SLOTS[then.kind]


def point(number):
    return Point("model", "", "model.chat", f"d{number}", 1)


def choices(number, kinds=tuple(SLOTS)):
    return tuple(Choice(point(number), kind, "before") for kind in kinds)


def short(value):
    return hashlib.sha256(repr(value).encode()).hexdigest()


def talk(schedule, *, length=2, fails=lambda _heard: False):
    """An agent that asks as often whatever happens, and hears of each fault; two of them sound the same to it."""
    heard: tuple[tuple[str, ...], ...] = ()
    seen, fired = [], []
    for number in range(length):
        seen.append(Seen(point(number), number, "", choices(number), short(heard)))
        here = sorted((each for each in schedule if each.point == point(number)), key=lambda each: SLOTS[each.kind])
        fired += here
        heard += (tuple(each.kind.replace("slow", "delay") for each in here),)
    failed = bool(fired) and fails(heard)
    return Observed("failed" if failed else "passed", "broken" if failed else "", seen=tuple(seen), fired=tuple(fired))


def explored(toys, play, **rest):
    search = Search(play(()), follows=follows, **rest)
    return search, [trial.schedule for trial, _ in toys.drive(search, play)]


def at_one_point(schedule):
    return len({each.point for each in schedule}) < len(schedule)


def test_pairs_at_one_point_are_those_that_can_follow_each_other_and_each_comes_up_once(toys):
    search, schedules = explored(toys, lambda schedule: talk(schedule, length=1), depth=2)
    pairs = [tuple(each.kind for each in schedule) for schedule in schedules if len(schedule) == 2]
    assert sorted(pairs) == [("cut", "end"), ("delay", "cut"), ("delay", "end"), ("slow", "cut"), ("slow", "end")]
    assert str(search.coverage().shares[1]) == "every pair (5)"


def test_triples_at_one_point_go_together_each_with_each(toys):
    search, schedules = explored(toys, lambda schedule: talk(schedule, length=1), depth=3)
    triples = [tuple(each.kind for each in schedule) for schedule in schedules if len(schedule) == 3]
    assert sorted(triples) == [("delay", "cut", "end"), ("slow", "cut", "end")]
    assert search.coverage().shares[2].whole


def test_they_are_pairs_beside_those_of_two_points(toys):
    search, schedules = explored(toys, talk, depth=2, prune=False)
    pairs = [schedule for schedule in schedules if len(schedule) == 2]
    assert len(pairs) == len(set(map(frozenset, pairs))) == 4 * 4 + 2 * 5
    assert sum(map(at_one_point, pairs)) == 10
    assert search.coverage().shares[1].possible == 26


def test_where_nobody_says_that_faults_can_follow_each_other_there_is_one_at_a_point(toys):
    search = Search(talk(()), depth=2)
    assert not any(at_one_point(trial.schedule) for trial, _ in toys.drive(search, talk))


def test_a_single_fault_never_stands_for_two_at_one_point(toys):
    """The state before a point is the same whatever happens there; leaving out by it would leave out all such pairs."""
    search, schedules = explored(toys, talk, depth=2, prune=True)
    assert sum(map(at_one_point, schedules)) == 10
    assert search.coverage().shares[1].whole


@pytest.mark.parametrize(("bad", "behind"), [({"delay"}, 4), ({"cut"}, 1), ({"end"}, 0), ({"delay", "cut"}, 5)])
def test_pairs_behind_a_fault_that_fails_by_itself_are_counted_once(toys, bad, behind):
    def play(schedule):
        return talk(schedule, length=1, fails=lambda heard: len(heard[0]) == 1 and heard[0][0] in bad)

    search, _ = explored(toys, play, depth=2)
    share = search.coverage().shares[1]
    assert (share.behind, share.possible + share.behind) == (behind, 5)


def test_a_bug_that_takes_two_faults_at_one_point_is_found_and_shrinks_to_them(toys):
    def play(schedule):
        return talk(schedule, fails=lambda heard: any({"delay", "end"} <= set(here) for here in heard))

    assert not explored(toys, play, depth=1)[0].findings
    search, _ = explored(toys, play, depth=2)
    (finding,) = search.findings
    assert [(each.kind, each.point) for each in finding.schedule] == [("delay", point(0)), ("end", point(0))]


@settings(max_examples=60)
@given(st.integers(0, 10_000))
def test_leaving_out_what_is_known_changes_no_outcome(toys, seed):
    def outcomes(*, prune):
        found = set()

        def fails(heard):
            failed = int(short((seed, heard))[:4], 16) % 9 == 0
            found.add((heard, failed))
            return failed

        search, _ = explored(toys, lambda schedule: talk(schedule, fails=fails), depth=3, prune=prune)
        return found, [share.whole for share in search.coverage().shares]

    assert outcomes(prune=True) == outcomes(prune=False)


def test_leaving_out_saves_runs(toys):
    assert len(explored(toys, talk, depth=3, prune=True)[1]) < len(explored(toys, talk, depth=3, prune=False)[1])


# ---------------------------------------------------------------------------------------------------- shrinking


def shrunk(schedule, fails, kinds):
    def others(choice):
        return choices(0) if choice.point == point(0) else ()

    steps = shrink(schedule, simpler_by(others, kinds=kinds), follows=follows)
    asked = []
    try:
        whole = next(steps)
        while True:
            asked.append(whole)
            whole = steps.send(fails(whole))
    except StopIteration as end:
        return end.value, asked


def test_one_of_two_faults_at_a_point_becomes_plainer_within_its_part():
    slow, end = choices(0, ("slow", "end"))
    found, asked = shrunk((slow, end), lambda schedule: len(schedule) == 2, ("delay", "slow", "cut", "end"))
    assert [each.kind for each in found.schedule] == ["delay", "cut"]
    assert found.minimal
    assert all(len({SLOTS[each.kind] for each in schedule}) == len(schedule) for schedule in asked)


def test_two_faults_of_one_part_are_never_tried_together():
    slow, cut = choices(0, ("slow", "cut"))
    found, asked = shrunk((slow, cut), lambda schedule: schedule == (slow, cut), ("delay", "slow", "cut", "end"))
    assert found.schedule == (slow, cut)
    assert all({each.kind for each in schedule} != {"slow", "delay"} for schedule in asked)
