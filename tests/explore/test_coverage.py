from __future__ import annotations

import msgspec
import pytest

from squall.decide import Point
from squall.explore import Choice, Line, Observed, Search, Seen, Status

A, B, AGAIN = (Point("tool", "", target, "d", nth) for target, nth in (("s.a", 1), ("s.b", 1), ("s.b", 2)))


def place(point, number, state=""):
    choices = Choice(point, "timeout", "after"), Choice(point, "http_503", "before")
    return Seen(point, number, "write" if point.target == "s.b" else "read", choices, state)


def play(schedule, *, state=""):
    """Calls a and b; tries b again where that got a fault; fails where b got a 503."""
    again = any(choice.point == B for choice in schedule)
    points = (A, B, AGAIN) if again else (A, B)
    bad = any(choice.point == B and choice.kind == "http_503" for choice in schedule)
    seen = tuple(place(point, number, state and f"{state}{number}") for number, point in enumerate(points))
    marks = frozenset({"tried again"} if again else ())
    asked = frozenset({"tried again", "gave up"})
    status: Status = "failed" if bad else "passed"
    return Observed(status, "lost" if bad else "", seen=seen, fired=schedule, marks=marks, asked=asked, tokens=3)


def explored(toys, **rest):
    search = Search(play(()), **rest)
    toys.drive(search, play)
    return search.coverage()


def test_the_table_counts_points_by_target_kind_and_phase(toys):
    assert explored(toys).lines == (
        Line("tool", "s.a", "http_503", "before", seen=1, revealed=0, faulted=1, bad=0, calm=1, calm_faulted=1),
        Line("tool", "s.a", "timeout", "after", seen=1, revealed=0, faulted=1, bad=0, calm=1, calm_faulted=1),
        Line("tool", "s.b", "http_503", "before", seen=2, revealed=1, faulted=1, bad=1, calm=1, calm_faulted=1),
        Line("tool", "s.b", "timeout", "after", seen=2, revealed=1, faulted=1, bad=0, calm=1, calm_faulted=1),
    )


def test_places_of_a_run_without_faults_are_told_apart_from_those_that_only_pairs_reach(toys):
    lines = {(line.target, line.kind): line for line in explored(toys, depth=2).lines}
    line = lines["s.b", "timeout"]
    assert (line.seen, line.faulted, line.calm, line.calm_faulted) == (2, 2, 1, 1)


INERT = "No run changed anything in the world: a write that happens twice could not have shown."


@pytest.mark.parametrize(("effects", "said"), [(0, True), (1, False), (None, False)])
def test_where_no_run_changed_anything_it_is_said_if_that_is_known(toys, effects, said):
    def acting(schedule):
        return msgspec.structs.replace(play(schedule), effects=effects)

    search = Search(acting(()))
    toys.drive(search, acting)
    assert (INERT in search.coverage().notes) is said


def test_one_run_that_changed_something_is_enough(toys):
    def acting(schedule):
        return msgspec.structs.replace(play(schedule), effects=len(schedule))

    search = Search(acting(()))
    toys.drive(search, acting)
    assert INERT not in search.coverage().notes


def test_calls_that_only_recovering_makes_are_told_apart_and_reached_by_pairs(toys):
    assert explored(toys).revealed == (("s.b", 1),)
    lines = {(line.target, line.kind): line for line in explored(toys, depth=2).lines}
    assert (lines["s.b", "timeout"].seen, lines["s.b", "timeout"].faulted) == (2, 2)


def test_a_clients_own_retry_is_no_call_that_recovering_makes(toys):
    def retried(schedule):
        retry = [place(msgspec.structs.replace(A, attempt=2), 1)] if schedule else []
        return Observed("passed", seen=(place(A, 0), *retry), fired=schedule)

    search = Search(retried(()))
    toys.drive(search, retried)
    assert search.coverage().revealed == ()
    assert {line.revealed for line in search.coverage().lines} == {1}  # and yet a place that only a fault leads to


def test_before_anything_was_run_nothing_is_covered():
    coverage = Search(play(())).coverage()
    assert coverage.claim == "No single fault (0 of 4): no failure."
    assert {line.faulted for line in coverage.lines} == {0}
    assert (coverage.runs, coverage.tokens) == (1, 3)


def test_runs_are_counted_by_their_status_the_one_without_faults_too(toys):
    coverage = explored(toys)
    assert coverage.statuses == {"failed": 1, "passed": 4}
    assert (coverage.runs, coverage.tokens) == (5, 15)


def test_marks_that_were_met_and_never_true_are_named(toys):
    assert explored(toys).never_true == ("gave up",)
    assert Search(play(())).coverage().never_true == ("gave up", "tried again")


def test_what_stands_in_for_something_else_covers_it_only_if_it_was_run(toys):
    def known(schedule):
        return play(schedule, state="same")

    search = Search(known(()), depth=2)
    singles = search.ask(100)
    for trial in singles:
        search.tell(trial.id, known(trial.schedule))
    share = search.coverage().shares[1]
    assert (share.possible, share.run, share.covered, share.left_out) == (6, 0, 4, 4)
    toys.drive(search, known)
    assert search.coverage().shares[1].whole

    cut = Search(known(()), depth=2)
    for trial in cut.ask(100):
        fired = trial.schedule if trial.schedule[0].point == A else ()
        status = "passed" if fired else "not_fired"
        cut.tell(trial.id, msgspec.structs.replace(known(trial.schedule), status=status, failure="", fired=fired))
    share = cut.coverage().shares[1]
    assert (share.possible, share.covered, share.left_out) == (
        4,
        0,
        0,
    )  # b's own faults stand for them: they never fired


def test_a_skipped_run_covers_nothing(toys):
    def skipped(schedule):
        return msgspec.structs.replace(play(schedule), status="skipped" if schedule else "passed", failure="")

    search = Search(skipped(()))
    toys.drive(search, skipped)
    assert search.coverage().shares[0].covered == 0
    assert search.findings == []


def test_a_coverage_can_be_written_down(toys):
    coverage = explored(toys, depth=2)
    assert msgspec.json.decode(msgspec.json.encode(coverage), type=type(coverage)) == coverage
