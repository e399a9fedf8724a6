from __future__ import annotations

import random
from datetime import UTC, datetime
from itertools import accumulate
from typing import Any

import pytest

from squall.call import Target
from squall.canonical import uniform
from squall.decide import Decision, Keyed, Latency, Point, RateLimit, Rule, Rules, Situation, When

READ, WRITE = "orders.get_order", "payments.issue_refund"


def rule(number, kind="timeout", *, targets=(READ,), **rest):
    return Rule(number, kind, targets, "after", **rest)


def plan(*faults, latencies=(), limits=()):
    return Rules(faults, latencies, limits)


def kinds(decisions):
    return [decision.rule.kind if decision.rule else None for decision in decisions]


def hits(decisions):
    """The places, from 1, of the calls that got a fault."""
    return [place for place, decision in enumerate(decisions, start=1) if decision.rule]


def orders(number):
    return [{"order": str(n)} for n in range(number)]


STORM = plan(
    rule(0, "timeout", probability=0.2, targets=(READ, WRITE)),
    rule(1, "http_503", probability=0.3, targets=(READ, WRITE)),
    rule(2, "hang", nth=5),
    latencies=(Latency((READ, WRITE), 50, 200),),
)
DRAWN = plan(*STORM.faults[:2], latencies=STORM.latencies)


# --------------------------------------------------------------------------------------------------- determinism


def test_the_same_seed_run_and_calls_give_the_same_decisions(agent):
    one, other = (agent(Keyed(STORM, seed=7, run_index=2)).each(orders(100)) for _ in range(2))
    assert one == other
    assert {"timeout", "http_503", "hang", None} == set(kinds(one))


@pytest.mark.parametrize("changed", [{"seed": 8, "run_index": 2}, {"seed": 7, "run_index": 3}])
def test_another_seed_or_another_run_gives_other_faults_and_latencies(agent, changed):
    before = agent(Keyed(DRAWN, seed=7, run_index=2)).each(orders(100))
    after = agent(Keyed(DRAWN, **changed)).each(orders(100))
    assert kinds(before) != kinds(after)
    assert all(a.latency != b.latency and a.drawn != b.drawn for a, b in zip(before, after, strict=True))


def test_the_seed_and_the_run_are_not_simply_added_up(agent):
    assert kinds(agent(Keyed(DRAWN, seed=1, run_index=0)).each(orders(100))) != kinds(
        agent(Keyed(DRAWN, seed=0, run_index=1)).each(orders(100))
    )


@pytest.mark.parametrize("extra", [{"target": WRITE}, {"args": {"order": "unrelated"}}, {"scope": "other"}])
def test_an_unrelated_extra_call_shifts_nothing(agent, extra):
    plain, disturbed = (agent(Keyed(DRAWN, seed=3)) for _ in range(2))
    for args in orders(60):
        disturbed.call(**({"args": args} | extra))
        assert disturbed.call(args) == plain.call(args)


def test_one_more_equal_call_is_a_point_of_its_own(agent):
    caller = agent(Keyed(DRAWN, seed=3))
    decisions = caller.calls(40, args={"order": "7"})
    assert [decision.point.nth for decision in decisions] == list(range(1, 41))
    assert len({decision.drawn for decision in decisions}) == 40
    assert agent(Keyed(DRAWN, seed=3)).calls(20, args={"order": "7"}) == decisions[:20]


def test_five_reruns_with_shuffled_arrivals_give_one_map_of_drawn_faults(agent):
    calls = [(target, {"order": str(n % 8)}) for n in range(60) for target in (READ, WRITE)]
    maps = []
    for rerun in range(5):
        arrivals = list(calls)
        random.Random(rerun).shuffle(arrivals)
        caller = agent(Keyed(DRAWN, seed=11, run_index=4))
        decisions = [caller.call(args, target=target) for target, args in arrivals]
        maps.append({d.point: (d.rule and d.rule.kind, d.latency, d.drawn) for d in decisions})
    assert all(found == maps[0] for found in maps)
    assert {kind for kind, *_ in maps[0].values()} == {"timeout", "http_503", None}


def test_shuffled_arrivals_move_counted_faults_for_those_follow_arrival(agent):
    counting = plan(rule(0, nth=3))
    forth = agent(Keyed(counting)).each(orders(6))
    back = agent(Keyed(counting)).each(reversed(orders(6)))
    assert hits(forth) == hits(back) == [3]
    assert {d.point for d in forth if d.rule} != {d.point for d in back if d.rule}


def test_the_number_drawn_is_keyed_by_seed_run_and_point_and_told(agent):
    decision = agent(Keyed(DRAWN, seed=5, run_index=6)).call({"order": "1"})
    assert decision.drawn == uniform(5, 6, *decision.point.key)


def test_another_attempt_of_one_call_draws_anew():
    points = [Point("tool", "", READ, "0" * 16, 1, attempt) for attempt in (1, 2)]
    one, other = (Keyed(DRAWN).decide(Situation(Target(READ, "t"), p, {}, 0.0, lambda _: None)) for p in points)
    assert one.drawn != other.drawn
    assert one.latency != other.latency


# --------------------------------------------------------------------------------------------------- drawn rules


def test_one_number_is_partitioned_among_the_drawn_rules_in_the_order_written(agent):
    shares = [("a", 0.1), ("b", 0.25), ("c", 0.3)]
    rules = plan(*(rule(n, kind, probability=share) for n, (kind, share) in enumerate(shares)))
    edges = list(accumulate(share for _, share in shares))
    for decision in agent(Keyed(rules)).each(orders(500)):
        expected = next((kind for (kind, _), edge in zip(shares, edges, strict=True) if decision.drawn < edge), None)
        assert kinds([decision]) == [expected]


def test_the_order_written_decides_who_gets_which_share(agent):
    one = agent(Keyed(plan(rule(0, "a", probability=0.3), rule(1, "b", probability=0.3)))).each(orders(200))
    other = agent(Keyed(plan(rule(0, "b", probability=0.3), rule(1, "a", probability=0.3)))).each(orders(200))
    assert [d.drawn for d in one] == [d.drawn for d in other]
    assert kinds(one) == [{"a": "b", "b": "a", None: None}[kind] for kind in kinds(other)]


def test_a_condition_that_is_not_met_moves_no_share(agent):
    free = plan(*(rule(n, kind, probability=0.3) for n, kind in enumerate("abc")))
    bound = plan(
        *(rule(n, kind, probability=0.3, when=When(args={"vip": (kind == "b",)})) for n, kind in enumerate("abc"))
    )
    calls = [{"order": str(n), "vip": False} for n in range(200)]
    for before, after in zip(
        kinds(agent(Keyed(free)).each(calls)), kinds(agent(Keyed(bound)).each(calls)), strict=True
    ):
        assert after == (None if before == "b" else before)
    assert "b" in kinds(agent(Keyed(free)).each(calls))


def test_a_scope_that_is_not_the_calls_moves_no_share(agent):
    rules = plan(rule(0, "a", probability=0.5, scope="worker"), rule(1, "b", probability=0.5))
    outside, inside = (agent(Keyed(rules)).each(orders(100), scope=scope) for scope in ("", "worker"))
    assert kinds(outside) == ["b" if d.drawn >= 0.5 else None for d in outside]
    assert kinds(inside) == ["b" if d.drawn >= 0.5 else "a" for d in inside]


@pytest.mark.parametrize(("probability", "faults"), [(0.0, 0), (1.0, 300)])
def test_never_and_always_are_exact(agent, probability, faults):
    assert len(hits(agent(Keyed(plan(rule(0, probability=probability)))).each(orders(300)))) == faults


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_over_many_points_the_rates_come_near_the_probabilities(agent, seed):
    shares = {"timeout": 0.1, "http_503": 0.02, "hang": 0.35}
    rules = plan(*(rule(n, kind, probability=share) for n, (kind, share) in enumerate(shares.items())))
    number = 4000
    seen = kinds(agent(Keyed(rules, seed=seed)).each(orders(number)))
    for kind, share in shares.items():
        # Four standard errors; the draws are fixed, so this either holds or does not.
        assert abs(seen.count(kind) / number - share) < 4 * (share * (1 - share) / number) ** 0.5


def test_over_many_runs_one_call_meets_its_faults_at_their_rate(agent):
    rules = plan(rule(0, probability=0.2))
    faults = sum(len(hits([agent(Keyed(rules, run_index=run)).call({"order": "7"})])) for run in range(2000))
    assert 320 < faults < 480


def test_nothing_is_drawn_where_nothing_could_be_hit(agent):
    assert agent(Keyed(DRAWN)).call(target="orders.other") == Decision(Point("tool", "", "orders.other", EMPTY, 1))
    assert agent(Keyed(plan(rule(0, nth=2)))).call().drawn is None


EMPTY = "44136fa355b3678a"  # the digest of no arguments


# ------------------------------------------------------------------------------------------------ counting rules


@pytest.mark.parametrize(
    ("choice", "places"),
    [
        ({"nth": 3}, [3]),
        ({"nth": 2, "times": 3}, [2, 3, 4]),
        ({"times": 2}, [1, 2]),
        ({"first": 3}, [1, 2, 3]),
        ({"every": 4}, [4, 8]),
    ],
)
def test_a_counting_rule_counts_arrivals_whatever_their_arguments(agent, choice, places):
    assert hits(agent(Keyed(plan(rule(0, **choice)))).each(orders(9))) == places


def test_a_counting_rule_counts_each_target_and_each_scope_apart(agent):
    caller = agent(Keyed(plan(rule(0, nth=2, targets=(READ, WRITE)))))
    for target in (READ, WRITE):
        for scope in ("", "worker-1", "worker-2"):
            assert hits(caller.calls(4, target=target, scope=scope)) == [2]


def test_a_counting_rule_counts_only_the_calls_that_meet_its_condition(agent):
    caller = agent(Keyed(plan(rule(0, nth=2, when=When(args={"order": ("7", "8")})))))
    decisions = caller.each({"order": order} for order in "1722821")
    assert hits(decisions) == [5]


def test_a_counting_rule_of_a_scope_counts_there_alone(agent):
    caller = agent(Keyed(plan(rule(0, nth=2, scope="worker"))))
    assert hits([caller.call(), caller.call(), caller.call(scope="worker"), caller.call(scope="worker")]) == [4]


def test_two_counting_rules_count_for_themselves_and_the_one_written_first_wins(agent):
    caller = agent(Keyed(plan(rule(0, "a", every=2), rule(1, "b", every=3))))
    assert kinds(caller.calls(6)) == [None, "a", "b", "a", None, "a"]


@pytest.mark.parametrize("counted_first", [True, False])
def test_of_a_counted_and_a_drawn_rule_the_one_written_first_wins(agent, counted_first):
    choices: list[tuple[str, dict[str, Any]]] = [("counted", {"nth": 2}), ("drawn", {"probability": 1.0})]
    rules = [rule(n, kind, **choice) for n, (kind, choice) in enumerate(choices if counted_first else choices[::-1])]
    second = "counted" if counted_first else "drawn"
    assert kinds(agent(Keyed(plan(*rules))).calls(3)) == ["drawn", second, "drawn"]


def test_a_call_counts_also_where_another_fault_takes_it(agent):
    caller = agent(Keyed(plan(rule(0, "taken", probability=1.0, when=When(args={"n": (1,)})), rule(1, "nth", nth=2))))
    assert kinds(caller.each({"n": n} for n in (1, 2, 2))) == ["taken", "nth", None]


# ----------------------------------------------------------------------------------------------------- conditions


@pytest.mark.parametrize(
    ("args", "met"),
    [
        ({"order": "7", "n": 1}, True),
        ({"order": "8", "n": 1}, True),
        ({"order": "9", "n": 1}, False),
        ({"order": "7", "n": 2}, False),
        ({"order": "7"}, False),
        ({"order": ["7"], "n": 1}, False),
        ({"order": "7", "n": 1.0}, True),
        ({"order": "7", "n": True}, False),
        ({"order": 7, "n": 1}, False),
    ],
)
def test_all_named_arguments_must_have_one_of_their_values(agent, args, met):
    caller = agent(Keyed(plan(rule(0, when=When(args={"order": ("7", "8"), "n": (1,)})))))
    assert hits([caller.call(args)]) == ([1] if met else [])


@pytest.mark.parametrize(
    ("wanted", "args", "schema", "met"),
    [
        (10, {}, {"type": "integer", "default": 10}, True),
        (10, {"n": 11}, {"type": "integer", "default": 10}, False),
        (None, {}, {"type": "integer", "default": 10}, False),
        (None, {}, {"type": "string"}, True),
        (None, {"n": None}, {"type": "string"}, True),
        (None, {"n": "x"}, {"type": "string"}, False),
        ("2025-06-01T12:00:00Z", {"n": datetime(2025, 6, 1, 12, tzinfo=UTC)}, {}, True),
        ("2025-06-01T12:00:00Z", {"n": "2025-06-01T14:00:00+02:00"}, {"format": "date-time"}, True),
        ("2025-06-01T12:00:00Z", {"n": "2025-06-01T14:00:00+02:00"}, {}, False),
    ],
)
def test_an_argument_is_its_default_or_null_where_it_is_left_out_and_means_what_its_schema_says(
    agent, wanted, args, schema, met
):
    caller = agent(Keyed(plan(rule(0, when=When(args={"n": (wanted,)})))))
    assert hits([caller.call(args, schemas={"n": schema})]) == ([1] if met else [])


@pytest.mark.parametrize(
    ("when", "age", "met"),
    [
        (When(newer_than=60.0), 59.9, True),
        (When(newer_than=60.0), 60.0, False),
        (When(older_than=60.0), 60.0, True),
        (When(older_than=60.0), 59.9, False),
        (When(newer_than=60.0, older_than=30.0), 45.0, True),
        (When(newer_than=60.0, older_than=30.0), 29.0, False),
        (When(newer_than=60.0, older_than=30.0), 61.0, False),
        (When(newer_than=60.0), None, False),
        (When(older_than=60.0), None, False),
        (When(), None, True),
    ],
)
def test_a_records_age_must_lie_within_the_bounds_and_be_known(agent, when, age, met):
    assert hits([agent(Keyed(plan(rule(0, when=when)))).call(age=lambda _: age)]) == ([1] if met else [])


def test_a_record_ages_while_the_call_is_on_its_way(agent):
    slow = (Latency((READ,), 2000, 2000),)
    rules = plan(rule(0, when=When(newer_than=60.0)), latencies=slow)
    assert hits([agent(Keyed(rules)).call(age=lambda latency: 57.9 + latency)]) == [1]
    assert hits([agent(Keyed(rules)).call(age=lambda latency: 58.0 + latency)]) == []


def test_an_age_that_no_condition_names_is_not_asked_for(agent):
    def age(_):
        raise AssertionError("asked")

    rules = plan(rule(0, when=When(args={"order": ("7",)})), rule(1, when=When(args={"order": ("8",)}, newer_than=1.0)))
    assert hits([agent(Keyed(rules)).call({"order": order}, age=age) for order in ("7", "9")]) == [1]


# ---------------------------------------------------------------------------------------------- order of decisions


def everything(*, when, calls):
    return plan(
        rule(0, "drawn", probability=1.0),
        rule(1, "counted", nth=2),
        rule(2, "conditional", when=When(args={"n": when})),
        limits=(RateLimit((READ,), calls, 60.0),),
        latencies=(Latency((READ,), 100, 100),),
    )


def test_a_conditional_rule_comes_before_the_limiter_and_takes_no_room_of_it(agent):
    caller = agent(Keyed(everything(when=(1,), calls=1)))
    assert kinds(caller.calls(3, args={"n": 1})) == ["conditional"] * 3
    assert caller.call({"n": 2}).retry_after is None


def test_the_limiter_comes_before_what_is_drawn(agent):
    caller = agent(Keyed(everything(when=(), calls=1)))
    first, second = caller.calls(2, args={"n": 2})
    assert (first.rule.kind, first.retry_after) == ("drawn", None)
    assert (second.rule, second.drawn) == (None, None)
    assert second.retry_after == 60.0


def test_latency_comes_first_and_stays_whatever_follows(agent):
    caller = agent(Keyed(everything(when=(1,), calls=1)))
    decisions = caller.each([{"n": 1}, {"n": 2}, {"n": 2}])
    assert [(d.latency, d.rule and d.rule.kind, bool(d.retry_after)) for d in decisions] == [
        (0.1, "conditional", False),
        (0.1, "drawn", False),
        (0.1, None, True),
    ]


# ------------------------------------------------------------------------------------------------------ rate limit


def limited(calls, seconds, *, targets=(READ,), latencies=()):
    return Keyed(plan(limits=(RateLimit(targets, calls, seconds),), latencies=latencies))


def test_the_limiter_admits_so_many_calls_and_says_when_there_is_room(agent):
    caller = agent(limited(2, 60.0))
    waits = [caller.call(at=at).retry_after for at in (0.0, 10.0, 20.0, 30.0)]
    assert waits == [None, None, 40.0, 30.0]


def test_the_window_slides_with_the_calls_that_were_admitted(agent):
    caller = agent(limited(2, 60.0))
    waits = [caller.call(at=at).retry_after for at in (0.0, 50.0, 59.0, 60.0, 61.0, 110.0, 111.0, 171.0)]
    assert waits == [None, None, 1.0, None, 49.0, None, 9.0, None]


def test_a_refused_call_takes_no_room(agent):
    caller = agent(limited(1, 60.0))
    caller.call(at=0.0)
    assert all(caller.call(at=float(at)).retry_after for at in range(1, 60))
    assert caller.call(at=60.0).retry_after is None


@pytest.mark.parametrize("seconds", [0.3, 1.0, 7.0, 30.0, 60.0])
def test_who_waits_exactly_as_told_is_admitted_and_counted(agent, seconds):
    for start in range(20):
        caller = agent(limited(1, seconds))
        at = start / 10
        assert caller.call(at=at).retry_after is None
        wait = caller.call(at=at + 0.05).retry_after
        again = at + 0.05 + wait
        assert caller.call(at=again).retry_after is None
        assert caller.call(at=again).retry_after == pytest.approx(seconds)


def test_no_window_ever_holds_more_calls_than_the_limit(agent):
    chance = random.Random(5)
    caller = agent(limited(3, 1.0, latencies=(Latency((READ,), 0, 400),)))
    moments, at = [], 0.0
    for _ in range(600):
        at += chance.choice([0.0, 0.05, 0.1, 0.3])
        decision = caller.call(at=at)
        if decision.retry_after is None:
            moments.append(at + decision.latency)
    moments.sort()
    assert len(moments) > 100
    assert all(late - early > 0.999999 for early, late in zip(moments, moments[3:], strict=False))


def test_latency_counts_into_the_moment_of_admission(agent):
    caller = agent(limited(1, 60.0, latencies=(Latency((READ,), 5000, 5000),)))
    assert [caller.call(at=at).retry_after for at in (0.0, 20.0, 60.0)] == [None, 40.0, None]


def test_each_target_and_each_scope_has_a_window_of_its_own(agent):
    caller = agent(limited(1, 60.0, targets=(READ, WRITE)))
    places = [(target, scope) for target in (READ, WRITE) for scope in ("", "worker")]
    assert [caller.call(target=target, scope=scope).retry_after for target, scope in places] == [None] * 4
    assert [caller.call(target=target, scope=scope).retry_after for target, scope in places] == [60.0] * 4


# --------------------------------------------------------------------------------------------------------- latency


def test_latency_is_drawn_evenly_from_its_range_in_seconds(agent):
    seen = [d.latency for d in agent(Keyed(DRAWN)).each(orders(1000))]
    assert all(0.05 <= latency < 0.2 for latency in seen)
    assert abs(sum(seen) / len(seen) - 0.125) < 0.006
    assert len(set(seen)) == 1000


def test_latency_does_not_lean_on_the_fault_that_was_drawn(agent):
    decisions = agent(Keyed(DRAWN)).each(orders(1000))
    with_fault = [d.latency for d in decisions if d.rule]
    assert abs(sum(with_fault) / len(with_fault) - 0.125) < 0.01


def test_a_range_of_one_value_is_that_value(agent):
    rules = plan(latencies=(Latency((READ,), 120, 120),))
    assert {d.latency for d in agent(Keyed(rules)).each(orders(20))} == {0.12}


def test_a_target_without_latency_has_none(agent):
    assert agent(Keyed(DRAWN)).call(target="orders.other").latency == 0.0


# ------------------------------------------------------------------------------------------- salts, lanes, models


CHAT = "model.chat"


def asked(decider, number=1, *, model="gpt-5-mini", scope="", lane="", at=0.0, digest="d"):
    """The decision for a request to a model, the `number`th equal one."""
    point = Point("model", scope, CHAT, digest, number)
    return decider.decide(Situation(Target(CHAT, "", wire="model"), point, {"model": model}, at, lambda _: None, lane))


def test_deciders_with_different_salts_draw_independently():
    rules = plan(rule(0, targets=(CHAT,), probability=0.5), latencies=(Latency((CHAT,), 0, 1000),))
    one, other, again = (Keyed(rules, seed=4, salt=salt) for salt in ("answer", "end", "answer"))
    drawn = [[asked(each, number) for number in range(200)] for each in (one, other, again)]
    assert drawn[0] == drawn[2]
    assert all(a.drawn != b.drawn and a.latency != b.latency for a, b in zip(*drawn[:2], strict=True))
    both = sum(a.rule is b.rule is not None for a, b in zip(*drawn[:2], strict=True))
    assert 30 < both < 70  # a quarter of them, for a half is hit by each


def test_without_a_salt_the_number_is_keyed_by_seed_run_and_point_alone():
    rules = plan(rule(0, targets=(CHAT,), probability=0.5))
    point = Point("model", "", CHAT, "d", 3)
    assert asked(Keyed(rules, seed=4, run_index=5), 3).drawn == uniform(4, 5, *point.key)
    assert asked(Keyed(rules, seed=4, run_index=5, salt="end"), 3).drawn == uniform(4, 5, "end", *point.key)


def test_lanes_are_counted_apart():
    decider = Keyed(plan(rule(0, targets=(CHAT,), nth=2)))
    lanes = ["chat/a", "chat/b", "chat/b", "chat/a", "", ""]
    assert hits([asked(decider, lane=lane) for lane in lanes]) == [3, 4, 6]


def test_limits_are_kept_by_lane():
    decider = Keyed(plan(limits=(RateLimit((CHAT,), 1, 60),)))
    waits = [asked(decider, lane=lane, at=at).retry_after for lane, at in (("a", 0), ("b", 10), ("a", 20), ("b", 30))]
    assert waits == [None, None, 40, 40]


def test_a_scope_that_is_forgotten_is_counted_anew():
    decider = Keyed(plan(rule(0, targets=(CHAT,), first=1), limits=(RateLimit((CHAT,), 2, 60),)))
    scopes = ("one", "other")
    assert hits([asked(decider, scope=scope) for scope in scopes * 2]) == [1, 2]
    decider.forget("one")
    assert hits([asked(decider, scope=scope) for scope in scopes]) == [1]
    assert [asked(decider, scope=scope).retry_after for scope in scopes] == [None, 60]
    decider.forget("never seen")


def test_a_lane_of_a_scope_can_be_forgotten_alone():
    decider = Keyed(plan(rule(0, targets=(CHAT,), first=1)))
    for lane in ("a", "b"):
        asked(decider, scope="one", lane=lane)
    decider.forget("one", "a")
    assert hits([asked(decider, scope="one", lane=lane) for lane in ("a", "b")]) == [1]
    decider.forget("other", "b")
    assert hits([asked(decider, scope="one", lane="b")]) == []


def of_models(number, *models, other_than=(), **rest):
    return rule(number, f"kind{number}", targets=(CHAT,), models=models, other_than=other_than, **rest)


def test_a_rule_for_some_models_is_not_there_for_others():
    decider = Keyed(plan(of_models(0, "o3", probability=1), of_models(1, "gpt-5-mini", "gpt-5", probability=1)))
    seen = kinds(asked(decider, model=model) for model in ("o3", "gpt-5", "gpt-5-mini", "o4"))
    assert seen == ["kind0", "kind1", "kind1", None]  # and so takes no share of what is drawn there


def test_a_rule_may_be_for_all_but_some():
    decider = Keyed(plan(of_models(0, other_than=("o3",), probability=1), of_models(1, "o3", probability=1)))
    assert kinds(asked(decider, model=model) for model in ("o3", "gpt-5")) == ["kind1", "kind0"]


def test_what_counts_or_always_happens_keeps_to_its_models_too():
    decider = Keyed(plan(of_models(0, "o3", nth=2), of_models(1, "o4")))
    seen = kinds(asked(decider, model=model) for model in ("o3", "gpt-5", "o3", "o4", "o4"))
    assert seen == [None, None, "kind0", "kind1", "kind1"]


def test_latencies_and_limits_keep_to_their_models():
    latencies = (Latency((CHAT,), 10, 10, other_than=("o3",)), Latency((CHAT,), 500, 500, models=("o3",)))
    limits = (RateLimit((CHAT,), 1, 60, models=("o3",)),)
    decider = Keyed(plan(latencies=latencies, limits=limits))
    decisions = [asked(decider, model=model, lane=model) for model in ("o3", "gpt-5") * 2]
    assert [decision.latency for decision in decisions] == [0.5, 0.01] * 2
    assert [decision.retry_after for decision in decisions] == [None, None, 60, None]


def test_of_two_latencies_for_one_call_the_last_holds():
    assert asked(Keyed(plan(latencies=(Latency((CHAT,), 1, 1), Latency((CHAT,), 2, 2))))).latency == 0.002


def test_a_decider_that_takes_anothers_place_goes_on_with_what_that_counted():
    first, limits = of_models(0, nth=2), (RateLimit((CHAT,), 2, 60),)
    before = Keyed(plan(first, limits=limits))
    assert kinds([asked(before)]) == [None]
    after = Keyed(plan(first, of_models(1, nth=1), limits=limits), after=before)
    decisions = [asked(after) for _ in range(2)]
    assert kinds(decisions) == ["kind0", None]
    assert [decision.retry_after for decision in decisions] == [None, 60]
    assert kinds([asked(Keyed(plan(first, limits=limits)))]) == [None]
