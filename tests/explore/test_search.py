from __future__ import annotations

import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squall.decide import Point
from squall.errors import UsageError
from squall.explore import Budget, Choice, Observed, Search, Seen
from squall.explore.observed import Access

KINDS = (("timeout", "after"), ("http_503", "before"))


def point(target, nth=1, attempt=1, wire="tool"):
    return Point(wire, "", target, "d", nth, attempt)


def fault(at, kind="timeout", phase="after"):
    return Choice(at if isinstance(at, Point) else point(at), kind, phase)


def seen(*points, kinds=KINDS, state=""):
    """Places in this order; names that begin with `w` are writes."""
    places = []
    for number, at in enumerate(points):
        at = at if isinstance(at, Point) else point(at)
        access: Access = "write" if at.target.startswith("w") else "read"
        places.append(Seen(at, number, access, tuple(Choice(at, *kind) for kind in kinds), state))
    return tuple(places)


def line(*points):
    """An agent that makes the same calls whatever happens."""

    def play(schedule):
        places = seen(*points)
        at = {each.point for each in places}
        fired = tuple(choice for choice in schedule if choice.point in at)
        return Observed("passed" if len(fired) == len(schedule) else "not_fired", seen=places, fired=fired)

    return play


def failing(play, when, failure="broken"):
    """The same agent, which fails where `when(schedule)`."""

    def failed(schedule):
        observed = play(schedule)
        if not when(observed.fired):
            return observed
        return msgspec.structs.replace(observed, status="failed", failure=failure, message=f"it is {failure}")

    return failed


def searched(toys, play, **rest):
    workers = rest.pop("workers", 1)
    search = Search(play(()), **rest)
    return search, toys.drive(search, play, workers=workers)


def is_done(search):
    return search.done


def words(told):
    return [" + ".join(f"{c.point.target}:{c.kind}" for c in trial.schedule) for trial, _ in told]


# ------------------------------------------------------------------------------------------------------- the order


def test_writes_whose_effect_may_be_there_go_first_and_the_rest_follows_the_trace(toys):
    _, told = searched(toys, line("read", "write"))
    assert words(told) == ["write:timeout", "read:timeout", "read:http_503", "write:http_503"]
    assert [trial.id for trial, _ in told] == [1, 2, 3, 4]
    assert told[0][0].why == "an effect may be there although the caller cannot know"
    assert told[1][0].why == "the next in the trace"


def test_the_order_is_that_of_the_trace_however_places_are_handed_in(toys):
    def play(schedule):
        observed = line("a", "b", "c")(schedule)
        return msgspec.structs.replace(observed, seen=tuple(reversed(observed.seen)))

    _, told = searched(toys, play, depth=2)
    assert words(told)[:6:2] == ["a:timeout", "b:timeout", "c:timeout"]
    pairs = [tuple(choice.point.target for choice in trial.schedule) for trial, _ in told[6:]]
    assert set(pairs) == {("a", "b"), ("a", "c"), ("b", "c")}


def test_kept_regressions_go_before_everything_and_are_run_once(toys):
    kept = [(fault("b"),), (fault("a"), fault("b")), (fault("b"),)]
    search, told = searched(toys, line("a", "b"), depth=2, regressions=kept)
    assert words(told)[:2] == ["b:timeout", "a:timeout + b:timeout"]
    assert {trial.why for trial, _ in told[:2]} == {"a kept regression"}
    assert len(words(told)) == len(set(words(told))) == 4 + 4
    assert [share.whole for share in search.coverage().shares] == [True, True]


def test_a_kept_regression_may_hold_more_faults_than_the_depth(toys):
    play = failing(line("a", "b"), lambda fired: len(fired) == 2)
    search, _ = searched(toys, play, regressions=[(fault("a"), fault("b"))])
    assert [len(found.schedule) for found in search.findings] == [2]
    assert len(search.coverage().shares) == 1


def test_a_kept_regression_is_run_whatever_the_filters_say(toys):
    _, told = searched(toys, line("a", "b"), regressions=[(fault("a"),)], kinds=("http_503",))
    assert words(told) == ["a:timeout", "a:http_503", "b:http_503"]


def test_a_regression_whose_point_is_gone_is_not_fired_and_never_a_pass(toys):
    search, told = searched(toys, line("a"), regressions=[(fault("gone"),)])
    assert told[0][1].status == "not_fired"
    assert search.coverage().statuses == {"not_fired": 1, "passed": 3}


def test_pairs_add_only_what_comes_later(toys):
    _, told = searched(toys, line("a", "b", "c"), depth=2)
    pairs = [trial.schedule for trial, _ in told if len(trial.schedule) == 2]
    assert {tuple(choice.point.target for choice in pair) for pair in pairs} == {("a", "b"), ("a", "c"), ("b", "c")}
    assert len(pairs) == 3 * 4


def test_calls_that_only_recovering_makes_come_first_among_pairs(toys):
    def play(schedule):
        if any(choice.point.target == "b" for choice in schedule):
            return line("a", "b", "look", "c")(schedule)
        return line("a", "b", "c")(schedule)

    _, told = searched(toys, play, depth=2)
    pairs = [trial for trial, _ in told if len(trial.schedule) == 2]
    revealed = [trial for trial in pairs if trial.why == "a call that only recovering makes"]
    assert pairs[: len(revealed)] == revealed
    assert {trial.schedule[1].point.target for trial in revealed} == {"look"}


def test_pairs_that_begin_with_a_hidden_effect_come_before_others(toys):
    _, told = searched(toys, line("a", "write", "b"), depth=2)
    pairs = [pair for pair in words(told) if "+" in pair and "+ write:timeout" not in pair]
    assert pairs[:2] == ["write:timeout + b:timeout", "write:timeout + b:http_503"]


def test_a_model_that_is_asked_other_things_after_a_fault_is_not_recovering_by_that_alone(toys):
    def play(schedule):
        more = ["more"] if any(choice.point.target == "a" for choice in schedule) else []
        asked = [Point("model", "", "model.chat", f"d{len(schedule)}", 1) for _ in range(1)]
        extra = [Point("model", "", "model.chat", "again", 1) for _ in more]
        return line("a", *asked, *extra)(schedule)

    search, told = searched(toys, play, depth=2)
    why = {trial.schedule[1].point.digest: trial.why for trial, _ in told if len(trial.schedule) == 2}
    assert why == {"d1": "the next in the trace", "again": "a call that only recovering makes"}
    assert search.coverage().revealed == (("model.chat", 1),)


def test_a_fault_that_did_not_fire_is_nothing_to_build_on(toys):
    def play(schedule):
        observed = line("a", "b")(schedule)
        fired = tuple(choice for choice in observed.fired if (choice.point.target, choice.kind) != ("a", "timeout"))
        status = "passed" if len(fired) == len(schedule) else "not_fired"
        return msgspec.structs.replace(observed, fired=fired, status=status)

    search, told = searched(toys, play, depth=2)
    assert "a:timeout" in words(told)
    assert [pair for pair in words(told) if pair.startswith("a:timeout +")] == []
    assert search.coverage().shares[0].never_fired == 1


def test_a_run_that_does_not_show_where_its_fault_was_is_nothing_to_build_on(toys):
    def play(schedule):
        observed = line("a", "b", "c")(schedule)
        return msgspec.structs.replace(observed, seen=observed.seen if not schedule else ())

    _, told = searched(toys, play, depth=2)
    assert {len(trial.schedule) for trial, _ in told} == {1}


def test_in_place_of_a_fault_a_search_knows_others(toys):
    search, _ = searched(toys, line("a", "b"))
    assert list(search.others(fault("b"))) == [fault("b"), fault("b", "http_503", "before")]


def test_a_failed_run_is_not_built_on_and_what_that_leaves_out_is_counted(toys):
    play = failing(line("a", "b"), lambda fired: any(c.point.target == "a" for c in fired))
    search, told = searched(toys, play, depth=2)
    assert words(told) == ["a:timeout", "a:http_503", "b:timeout", "b:http_503"]
    assert search.coverage().shares[1].behind == 4


def test_faults_that_change_their_order_make_one_pair_of_two(toys):
    def play(schedule):
        first = schedule[0].point.target if schedule else "a"
        return line(first, "b" if first == "a" else "a")(schedule)

    search, told = searched(toys, play, depth=2)
    pairs = [frozenset(trial.schedule) for trial, _ in told if len(trial.schedule) == 2]
    assert len(pairs) == len(set(pairs)) == 4
    assert str(search.coverage().shares[1]) == "every pair (4)"


def test_no_schedule_has_two_faults_at_one_point(toys):
    _, told = searched(toys, line("a", "b", "c"), depth=3)
    assert all(len({c.point for c in trial.schedule}) == len(trial.schedule) for trial, _ in told)
    assert {len(trial.schedule) for trial, _ in told} == {1, 2, 3}


# ------------------------------------------------------------------------------------------------------- the budget


def test_a_budget_of_runs_is_kept_and_said(toys):
    search, told = searched(toys, line("a", "b", "c"), depth=2, budget=Budget(runs=10))
    assert len(told) == 10
    assert search.done
    assert search.coverage().cut == "the budget of 10 runs is used up"
    assert search.coverage().claim == "Every single fault (6) and 33 % of pairs (4 of 12): no failure."


def test_what_a_budget_leaves_no_room_for_is_counted_all_the_same(toys):
    search, _ = searched(toys, line("a", "b", "c"), depth=2, budget=Budget(runs=6))
    assert search.coverage().claim == "Every single fault (6) and no pair (0 of 12): no failure."


def test_a_budget_that_is_just_enough_is_not_said_to_be_short(toys):
    search, _ = searched(toys, line("a", "b", "c"), budget=Budget(runs=6))
    assert search.coverage().cut == ""


def test_regressions_come_out_of_the_budget_too(toys):
    search, told = searched(toys, line("a", "b"), regressions=[(fault("b"),), (fault("a"),)], budget=Budget(runs=1))
    assert words(told) == ["b:timeout"]
    assert search.coverage().shares[0].covered == 1


def test_a_budget_that_ends_among_singles_claims_no_pairs(toys):
    search, _ = searched(toys, line("a", "b", "c"), depth=2, budget=Budget(runs=3))
    assert search.coverage().claim == "50 % of single faults (3 of 6) and no pairs: no failure."


def test_a_depth_beyond_all_places_ends_with_the_last_faults_that_can_follow_each_other(toys):
    search, told = searched(toys, line("a", "b"), depth=10**18)
    assert max(len(trial.schedule) for trial, _ in told) == 2
    assert search.coverage().claim == "Every single fault (4) and every pair (4): no failure."


def test_triples_are_drawn_evenly_from_what_is_left_of_the_budget(toys):
    names = [f"t{n}" for n in range(8)]
    _, everything = searched(toys, line(*names), depth=2)
    budget = Budget(runs=len(everything) + 20)

    def triples(seed):
        search, told = searched(toys, line(*names), depth=3, budget=budget, seed=seed)
        drawn = [trial for trial, _ in told if len(trial.schedule) == 3]
        assert {trial.why for trial in drawn} == {"drawn"}
        assert len(drawn) == 20
        assert str(search.coverage().shares[2]) == "20 of 448 triples, drawn evenly"
        return {trial.schedule for trial in drawn}

    assert triples(1) == triples(1)
    assert triples(1) != triples(2)
    firsts = {choice.point.target for seed in range(4) for schedule in triples(seed) for choice in schedule[:1]}
    assert len(firsts) > 3  # and not just the first in the trace


def test_triples_that_fit_into_the_budget_are_all_run_in_order(toys):
    search, told = searched(toys, line("a", "b", "c", "d"), depth=3, budget=Budget(runs=1000))
    assert search.coverage().shares[2].whole
    assert "drawn" not in {trial.why for trial, _ in told}


def test_a_draw_does_not_depend_on_what_else_there_is_to_draw(toys):
    names = [f"t{n}" for n in range(6)]

    def drawn(*more):
        pairs = len(searched(toys, line(*names, *more), depth=2)[1])
        _, told = searched(toys, line(*names, *more), depth=3, budget=Budget(runs=pairs + 10))
        return {trial.schedule for trial, _ in told if len(trial.schedule) == 3}

    with_another = drawn("z")
    assert {s for s in with_another if all(c.point.target != "z" for c in s)} <= drawn()


@pytest.mark.parametrize("workers", [1, 3, 16, 40])
def test_a_budget_of_tokens_ends_at_the_same_run_for_any_number_of_workers(toys, workers):
    def play(schedule):
        return msgspec.structs.replace(line(*(f"t{n}" for n in range(40)))(schedule), tokens=10)

    search, told = searched(toys, play, budget=Budget(tokens=250), workers=workers)
    assert len(told) == 32  # counted before the 1st, the 17th and the 33rd
    assert search.done
    assert search.coverage().cut == "the budget of 250 tokens is used up"
    assert search.coverage().tokens == 330


def test_a_search_that_is_stopped_hands_out_no_more_and_says_why():
    play = line("a", "b", "c")
    search = Search(play(()))
    first, second = search.ask(2)
    search.tell(first.id, play(first.schedule))
    search.stop("60 seconds are over")
    assert search.ask(5) == []
    assert not is_done(search)
    search.tell(second.id, play(second.schedule))
    assert is_done(search)
    assert search.left == 0
    assert search.coverage().notes == ("Cut short: 60 seconds are over.",)


def test_a_search_that_is_stopped_in_a_hurry_keeps_what_it_was_told_and_begins_nothing_new(toys):
    play = line("a", "b")
    search = Search(play(()), depth=2)
    trials = search.ask(4)
    search.stop("interrupted")
    for trial in trials:
        search.tell(trial.id, play(trial.schedule))
    assert search.done
    assert len(search.coverage().shares) == 1
    assert search.coverage().shares[0].whole


# ------------------------------------------------------------------------------------------------------- the filters


def test_filters_are_globs_over_kinds_and_targets(toys):
    search, told = searched(toys, line("a.x", "a.y", "b.x"), kinds=("http_*",), targets=("a.*",))
    assert words(told) == ["a.x:http_503", "a.y:http_503"]
    assert search.coverage().left_out == (
        ("a.x", "timeout"),
        ("a.y", "timeout"),
        ("b.x", "http_503"),
        ("b.x", "timeout"),
    )


def test_a_filter_that_matches_nothing_is_named(toys):
    search, _ = searched(toys, line("a"), kinds=("timeout", "timout"))
    assert "Nothing that could happen matches 'timout'." in search.coverage().notes


# ------------------------------------------------------------------------------------------------------- baselines


def test_where_the_run_without_faults_fails_nothing_is_explored(toys):
    search, told = searched(toys, failing(line("a"), lambda _: True), regressions=[(fault("a"),)])
    assert told == []
    assert search.done
    (found,) = search.findings
    assert (found.schedule, found.trial, found.message) == ((), 0, "it is broken")
    assert search.coverage().claim == "Nothing was explored: 1 failure."
    assert search.coverage().cut == "the run without faults failed (broken), so that faults would show nothing"


def test_where_the_run_without_faults_is_skipped_nothing_is_explored(toys):
    search, told = searched(toys, lambda _: Observed("skipped"))
    assert told == []
    assert search.coverage().notes == (
        "Cut short: the run without faults was skipped, so that faults would show nothing.",
    )


def test_an_agent_that_calls_nothing_leaves_nothing_to_explore(toys):
    search, told = searched(toys, lambda _: Observed("passed"), depth=2)
    assert told == []
    assert search.done
    assert search.coverage().claim.startswith("There is no place where a fault could happen")


def test_equal_baselines_are_explored_as_one(toys):
    play = line("a", "b")
    search = Search(play(()), confirm_baseline=play(()))
    assert search.statistical == ""
    assert len(toys.drive(search, play)) == 4


def test_baselines_that_differ_are_both_explored_and_nothing_is_left_out_as_known(toys):
    def play(schedule):
        return msgspec.structs.replace(
            line("a", "b")(schedule), seen=seen("a", "b", state="same") if schedule else seen("a", "b", state="")
        )

    other = Observed("passed", seen=seen("a", "c"))
    search = Search(play(()), depth=2, confirm_baseline=other)
    assert "call 2 was b in the first and c in the second" in search.statistical
    told = toys.drive(search, play)
    assert {trial.schedule[0].point.target for trial, _ in told} == {"a", "b", "c"}
    assert search.coverage().pruned == 0
    assert search.coverage().notes[0] == search.statistical


def test_an_agent_that_fails_now_and_then_without_faults_is_explored_and_that_is_a_finding(toys):
    play = line("a")
    search = Search(play(()), confirm_baseline=Observed("failed", "flaky", seen=play(()).seen))
    assert len(toys.drive(search, play)) == 2
    assert [(found.failure, found.schedule) for found in search.findings] == [("flaky", ())]


def test_an_agent_that_puts_something_fresh_into_each_call_covers_nothing(toys):
    fresh = iter(range(1000))

    def play(schedule):
        return line(*(Point("tool", "", name, f"{next(fresh)}", 1) for name in ("a", "b", "c")))(schedule)

    search = Search(play(()), depth=2, confirm_baseline=play(()))
    told = toys.drive(search, play)
    assert "call 1, a, had other arguments each time" in search.statistical
    assert {observed.status for _, observed in told} == {"not_fired"}
    coverage = search.coverage()
    assert coverage.claim == (
        "No single fault (0 of 12); 12 never fired, and calls have other arguments in each run: no failure."
    )
    assert "12 single faults never fired, which counts as not tried." in coverage.notes
    assert all(line.faulted == 0 for line in coverage.lines)
    assert coverage.revealed == ()  # other arguments are no other call


# ------------------------------------------------------------------------------------------------ asking and telling


def test_a_generation_is_not_begun_before_the_one_it_grows_from_is_told():
    play = line("a", "b")
    search = Search(play(()), depth=2)
    singles = search.ask(100)
    assert len(singles) == 4
    assert search.ask(1) == []
    for trial in singles[:-1]:
        search.tell(trial.id, play(trial.schedule))
    assert search.ask(1) == []
    assert not is_done(search)
    search.tell(singles[-1].id, play(singles[-1].schedule))
    assert search.left == 4
    assert len(search.ask(100)) == 4


def test_telling_what_was_not_asked_for_or_told_before_is_an_error():
    play = line("a")
    search = Search(play(()))
    with pytest.raises(UsageError, match="trial 1 was not handed out"):
        search.tell(1, play(()))
    (trial,) = search.ask()
    search.tell(trial.id, play(trial.schedule))
    with pytest.raises(UsageError, match="told before"):
        search.tell(trial.id, play(trial.schedule))


def test_a_run_that_differs_before_its_fault_ends_the_trust_in_what_is_known(toys):
    runs = []

    def play(schedule):  # its fourth run, and each from then on, begins with a call of its own
        runs.append(schedule)
        return line("x", "a", "b")(schedule) if len(runs) > 3 else line("a", "b")(schedule)

    search, _ = searched(toys, play)
    assert "call 1 was a there and x here" in search.statistical
    assert search.statistical in search.coverage().notes
    assert searched(toys, line("a", "b"), depth=2)[0].statistical == ""


def test_a_search_without_depth_is_refused():
    with pytest.raises(UsageError, match="depth of 1 or more, not 0"):
        Search(Observed("passed"), depth=0)


def test_a_pass_with_a_fault_that_stayed_away_is_not_believed(toys):
    def play(schedule):
        return msgspec.structs.replace(line("a")(schedule), fired=(), status="passed")

    search, _ = searched(toys, play)
    assert search.coverage().statuses == {"not_fired": 2, "passed": 1}
    _, told = searched(toys, lambda schedule: msgspec.structs.replace(line("a", "b")(schedule), fired=()), depth=2)
    assert len(told) == 4  # and nothing is built on it


def test_parameters_tell_faults_apart_and_may_be_lists(toys):
    places = (Seen(point("a"), 0, "read", tuple(Choice(point("a"), "cut", "after", (("at", [n]),)) for n in range(3))),)

    def play(schedule):
        return Observed("passed", seen=places, fired=schedule)

    search, told = searched(toys, play)
    assert [trial.schedule[0].params for trial, _ in told] == [(("at", [0]),), (("at", [1]),), (("at", [2]),)]
    assert search.coverage().lines[0].faulted == 1  # at one point


# ------------------------------------------------------------------------------------------------------- properties

LIMITS = st.builds(Budget, runs=st.none() | st.integers(0, 60), tokens=st.none() | st.integers(1, 200))


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.integers(1, 3), LIMITS, st.booleans(), st.randoms(use_true_random=False))
def test_workers_and_the_order_in_which_they_end_make_no_difference(toys, seed, depth, budget, states, chance):
    def play(schedule):
        return toys.wild(seed, schedule, states=states)[0]

    def all_of(workers, order):
        search = Search(play(()), depth=depth, budget=budget, seed=seed)
        told = toys.drive(search, play, workers=workers, chance=order)
        return told, search.findings, search.coverage()

    alone = all_of(1, None)
    assert all_of(2, chance) == alone
    assert all_of(8, chance) == alone


@settings(max_examples=60)
@given(st.integers(0, 10_000))
def test_leaving_out_what_is_known_changes_no_outcome(toys, seed):
    def outcomes(prune):
        found = set()

        def play(schedule):
            observed, outcome = toys.wild(seed, schedule)
            found.add((outcome, observed.failure))
            return observed

        search = Search(play(()), depth=2, prune=prune)
        toys.drive(search, play)
        return found, [share.whole for share in search.coverage().shares]

    assert outcomes(prune=True) == outcomes(prune=False)


def test_leaving_out_saves_runs(toys):
    searches = [searched(toys, lambda s, seed=seed: toys.wild(seed, s)[0], depth=2)[0] for seed in range(20)]
    assert sum(search.coverage().pruned > 0 for search in searches) > 10


@settings(max_examples=40)
@given(st.integers(0, 10_000), st.booleans())
def test_no_schedule_is_run_twice_and_each_is_in_the_order_of_the_trace(toys, seed, prune):
    def play(schedule):
        return toys.wild(seed, schedule)[0]

    search = Search(play(()), depth=3, prune=prune, budget=Budget(runs=150))
    told = toys.drive(search, play, workers=3, chance=random.Random(seed))
    assert len({frozenset(trial.schedule) for trial, _ in told}) == len(told) <= 150
    for trial, observed in told:
        order = {each.point: each.place for each in observed.seen}
        places = [order[choice.point] for choice in trial.schedule]
        assert places == sorted(places)
        assert observed.fired == trial.schedule
    for found in search.findings:
        assert play(found.schedule).failure == found.failure
        assert found.times == sum(observed.failure == found.failure for _, observed in told)
        smallest = min(len(observed.fired) for _, observed in told if observed.failure == found.failure)
        assert len(found.schedule) == smallest
