"""Squall's own deciders keep what every decider must, and the suite finds those that do not."""

from __future__ import annotations

import random

import msgspec
import pytest

from squall.decide import Calm, Decision, Keyed, Rule, Scheduled


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(lambda rules, seed, run_index: Keyed(rules, seed=seed, run_index=run_index), id="Keyed"),
        pytest.param(lambda _rules, _seed, _run_index: Calm(), id="Calm"),
        pytest.param(
            lambda rules, seed, run_index: Scheduled({}, otherwise=Keyed(rules, seed=seed, run_index=run_index)),
            id="Scheduled",
        ),
    ],
)
def test_a_decider_of_squalls_own_keeps(check, make):
    check(make)


class Broken:
    """Keyed, with one promise broken by `spoil(decision, situation)`."""

    def __init__(self, rules, seed, spoil):
        self.inner, self.spoil = Keyed(rules, seed=seed), spoil

    def decide(self, situation):
        return self.spoil(self.inner.decide(situation), situation)


SEEN: list[str] = []
CHANCE = random.Random(0)  # one stream for all: what no decider may have
STRANGE = Rule(99, "hang", ("orders.ping",), "after")


def replace(**fields):
    return lambda decision, _: msgspec.structs.replace(decision, **fields)


def elsewhere(decision, _):
    return msgspec.structs.replace(decision, point=msgspec.structs.replace(decision.point, nth=99))


def meddling(decision, situation):
    situation.args["tags"].append("x")
    return decision


def streamed(decision, _):
    return msgspec.structs.replace(decision, latency=CHANCE.random())


def remembering(decision, situation):
    SEEN.append(situation.point.target)
    return msgspec.structs.replace(decision, latency=float(len(SEEN)))


def unconditional(decision, situation):
    rule = Rule(1, "permission_denied", (situation.target.name,), "before")
    return Decision(decision.point, rule=rule)


@pytest.mark.parametrize(
    ("name", "spoil"),
    [
        ("a_decision_is_about_the_point_that_was_asked_for", elsewhere),
        ("a_latency_is_a_finite_number_of_seconds_that_is_not_negative", replace(latency=-0.1)),
        ("a_latency_is_a_finite_number_of_seconds_that_is_not_negative", replace(latency=float("nan"))),
        ("a_fault_is_one_of_the_rules_and_theirs_to_have", unconditional),
        ("a_refusal_by_the_limiter_is_no_fault_and_says_when_to_come_back", replace(retry_after=-1.0)),
        ("a_refusal_by_the_limiter_is_no_fault_and_says_when_to_come_back", replace(retry_after=1.0, rule=STRANGE)),
        ("a_drawn_number_is_told_and_lies_from_zero_to_one", replace(drawn=1.0)),
        ("a_drawn_number_is_told_and_lies_from_zero_to_one", replace(drawn=None)),
        ("equal_arrivals_get_equal_decisions", streamed),
        ("deciders_share_no_state", remembering),
        ("arguments_are_looked_at_and_left_as_they_are", meddling),
        ("no_rules_mean_that_nothing_happens", replace(latency=1.0)),
        ("a_target_that_no_rule_names_is_left_alone", replace(latency=1.0)),
    ],
)
def test_a_decider_that_breaks_a_promise_is_found(suite, name, spoil):
    with pytest.raises(AssertionError):
        getattr(suite, f"check_{name}")(lambda rules, seed, _: Broken(rules, seed, spoil))


@pytest.mark.parametrize("place", [0, 1, 3])
def test_a_decider_that_forgets_conditions_is_found(suite, place):
    rule = suite.RULES.faults[place]
    spoil = replace(rule=rule)
    with pytest.raises(AssertionError, match=r"does not apply|needs an age"):
        suite.check_a_fault_has_its_conditions_met(lambda rules, seed, _: Broken(rules, seed, spoil))


def test_the_suites_calls_meet_every_rule_a_refusal_and_calm(suite):
    decisions = [decision for _, decision in suite.run(Keyed(suite.RULES))]
    assert {decision.rule.id for decision in decisions if decision.rule} == set(range(7))
    assert any(decision.retry_after for decision in decisions)
    assert any(decision == Decision(decision.point) for decision in decisions)
