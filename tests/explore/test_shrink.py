from __future__ import annotations

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from squall.decide import Point
from squall.explore import Choice, shrink, simpler_by


def fault(name, kind="timeout", **params):
    return Choice(Point("tool", "", name, "d", 1), kind, "after", tuple(sorted(params.items())))


def driven(steps, fails):
    """What a generator comes to, and all that it asked for."""
    asked = []
    try:
        schedule = next(steps)
        while True:
            asked.append(schedule)
            schedule = steps.send(fails(schedule))
    except StopIteration as end:
        return end.value, asked


def needs(*faults):
    return lambda schedule: set(faults) <= set(schedule)


MANY = tuple(fault(f"t{number}") for number in range(12))


def test_faults_that_do_not_matter_are_left_out():
    found, asked = driven(shrink(MANY), needs(MANY[3], MANY[8]))
    assert found.schedule == (MANY[3], MANY[8])
    assert found.minimal
    assert found.runs == len(asked) < 40


def test_a_single_fault_needs_no_run():
    found, asked = driven(shrink(MANY[:1]), needs(MANY[0]))
    assert (found.schedule, asked, found.minimal, found.plain) == (MANY[:1], [], True, True)


def test_a_failure_that_needs_all_is_left_as_it_is_and_minimal():
    found, asked = driven(shrink(MANY[:4]), needs(*MANY[:4]))
    assert (found.schedule, found.minimal) == (MANY[:4], True)
    assert {len(schedule) for schedule in asked} >= {3}


def test_nothing_is_run_twice_nor_the_schedule_it_began_with_nor_none():
    _, asked = driven(shrink(MANY), needs(MANY[0], MANY[5], MANY[11]))
    assert len(asked) == len({frozenset(schedule) for schedule in asked})
    assert MANY not in asked
    assert () not in asked


def test_without_runs_to_check_it_nothing_is_called_minimal():
    whole, asked = driven(shrink(MANY), needs(MANY[3], MANY[8]))
    for most in range(len(asked)):
        found, few = driven(shrink(MANY, most=most), needs(MANY[3], MANY[8]))
        assert found.runs == len(few) == most
        assert set(found.schedule) >= {MANY[3], MANY[8]}
        assert not found.minimal or found.schedule == whole.schedule
    assert not driven(shrink(MANY, most=0), needs(MANY[3]))[0].minimal
    assert driven(shrink(MANY, most=len(asked)), needs(MANY[3], MANY[8]))[0].minimal


def test_a_plainer_kind_takes_the_place_of_another_while_the_failure_stays():
    def others(choice):
        return [msgspec.structs.replace(choice, kind=kind) for kind in ("lost", "http_503", "timeout")]

    simpler = simpler_by(others, kinds=("http_503", "lost", "timeout"))
    schedule = fault("a", "timeout"), fault("b", "timeout")

    def fails(tried):
        return {"a", "b"} <= {c.point.target for c in tried} and fault("a", "http_503") not in tried

    found, _ = driven(shrink(schedule, simpler), fails)
    assert found.schedule == (fault("a", "lost"), fault("b", "http_503"))
    assert found.minimal
    assert found.plain


def test_shorter_waits_and_fewer_repeats_are_tried():
    schedule = (fault("a", "latency", seconds=60.0, times=5),)
    simpler = simpler_by(lambda _: (), sizes=("seconds", "times"))

    def fails(tried):
        params = dict(tried[0].params)
        return params["seconds"] >= 12 and params["times"] >= 3

    found, _ = driven(shrink(schedule, simpler), fails)
    assert dict(found.schedule[0].params) == {"seconds": 15.0, "times": 3}
    assert found.plain


def test_a_plainer_fault_may_make_another_one_unneeded():
    plain = fault("a", "plain")
    schedule = fault("a", "odd"), fault("b")

    def fails(tried):
        return plain in tried or set(tried) == set(schedule)

    found, _ = driven(shrink(schedule, lambda choice: [plain] if choice.kind == "odd" else []), fails)
    assert found.schedule == (plain,)


def test_there_are_never_two_faults_at_one_point():
    schedule = fault("a"), fault("b")
    other = fault("b", "hang")
    found, asked = driven(shrink(schedule, lambda choice: [other] if choice == fault("a") else []), lambda _: False)
    assert all(other not in tried for tried in asked)
    assert found.plain  # there was nothing simpler that could be


def test_an_order_of_the_trace_is_kept():
    _, asked = driven(shrink(MANY), needs(MANY[2], MANY[7]))
    assert all([MANY.index(choice) for choice in s] == sorted(MANY.index(choice) for choice in s) for s in asked)


@given(
    st.sets(st.integers(0, 11), min_size=1).flatmap(
        lambda s: st.tuples(st.just(s), st.sets(st.sampled_from(sorted(s)), min_size=1))
    )
)
def test_any_schedule_shrinks_to_what_the_failure_needs(drawn):
    there, needed = drawn
    schedule = tuple(MANY[number] for number in sorted(there))
    wanted = tuple(MANY[number] for number in sorted(needed))
    found, _ = driven(shrink(schedule), needs(*wanted))
    assert found.schedule == wanted
    assert found.minimal


@given(st.lists(st.sets(st.integers(0, 7), min_size=1, max_size=3), min_size=1, max_size=4))
def test_where_several_sets_fail_one_of_the_smallest_kind_is_left(planted):
    causes = [frozenset(MANY[number] for number in each) for each in planted]

    def fails(schedule):
        return any(cause <= set(schedule) for cause in causes)

    found, _ = driven(shrink(MANY[:8]), fails)
    assert frozenset(found.schedule) in causes
    assert not any(cause < frozenset(found.schedule) for cause in causes)
    assert found.minimal


@given(st.integers(1, 8), st.randoms(use_true_random=False), st.none() | st.integers(0, 30))
def test_whatever_fails_what_is_left_fails_and_is_minimal_if_it_says_so(size, chance, most):
    schedule = MANY[:size]
    answers = {frozenset(schedule): True}

    def fails(tried):
        return answers.setdefault(frozenset(tried), chance.random() < 0.4)

    found, asked = driven(shrink(schedule, most=most), fails)
    assert fails(found.schedule)
    shorter = [found.schedule[:n] + found.schedule[n + 1 :] for n in range(len(found.schedule))]
    checked = all(not each or answers.get(frozenset(each)) is False for each in shorter)
    assert found.minimal == checked
    assert found.minimal or most is not None
    assert len(asked) == found.runs
