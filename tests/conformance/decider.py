"""What every decider owes to the place that asks it: checks that take a maker.

A maker is called with `Rules`, a seed and a run index and gives a fresh decider. Each check raises an AssertionError
that says what is not kept. `CHECKS` lists them all; how a third party runs them: `for check in CHECKS: check(make)`.
"""

from __future__ import annotations

import copy
import math
from collections import Counter
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from squall.call import Target
from squall.decide import Decider, Decision, Latency, Point, RateLimit, Rule, Rules, Situation, When, digest_of

Make = Callable[[Rules, int, int], Decider]

READ = Target("orders.get_order", "get_order", fields=("order",), dated=True)
WRITE = Target("payments.issue_refund", "issue_refund", access="write", fields=("order", "amount"))
UNNAMED = Target("orders.ping", "ping")
BOTH = (READ.name, WRITE.name)

RULES = Rules(
    faults=(
        Rule(0, "not_found", (READ.name,), "before", when=When(newer_than=7200.0)),
        Rule(1, "permission_denied", (WRITE.name,), "before", when=When(args={"order": ("3",)})),
        Rule(2, "timeout", BOTH, "after", probability=0.2),
        Rule(3, "http_503", BOTH, "before", probability=0.1, when=When(args={"order": ("1", "2")})),
        Rule(4, "hang", (READ.name,), "after", nth=7, times=2),
        Rule(5, "is_error", (WRITE.name,), "before", every=5, scope="two"),
        Rule(6, "connection_lost", (WRITE.name,), "after", first=1),
    ),
    latencies=(Latency((READ.name,), 50, 200), Latency((WRITE.name,), 10, 10)),
    limits=(RateLimit((WRITE.name,), 3, 5.0),),
)


def situations() -> Iterator[Situation]:
    """Two hundred calls to three targets in two scopes, half a second apart."""
    equal: Counter[tuple[str, str, str]] = Counter()
    for number in range(200):
        target = (READ, WRITE, WRITE, UNNAMED)[number % 4]
        scope = "two" if number % 3 == 0 else ""
        args: dict[str, Any] = {"order": str(number % 5), "tags": [number % 2]}
        digest, _ = digest_of(args, (), ())
        equal[scope, target.name, digest] += 1
        point = Point(target.wire, scope, target.name, digest, equal[scope, target.name, digest])
        yield Situation(target, point, args, number / 2, partial(_age, args["order"]))


def _age(order: str, latency: float) -> float | None:
    seconds = {"0": 3600.0, "1": 86400.0}.get(order)
    return None if seconds is None else seconds + latency


def run(decider: Decider) -> list[tuple[Situation, Decision]]:
    """Every situation with its decision, in order of arrival."""
    return [(situation, decider.decide(situation)) for situation in situations()]


def check_a_decision_is_about_the_point_that_was_asked_for(make: Make) -> None:
    for situation, decision in run(make(RULES, 0, 0)):
        assert decision.point == situation.point, f"asked for {situation.point}, got {decision.point}"


def check_a_latency_is_a_finite_number_of_seconds_that_is_not_negative(make: Make) -> None:
    for situation, decision in run(make(RULES, 0, 0)):
        assert math.isfinite(decision.latency), f"{situation.point}: {decision.latency}"
        assert decision.latency >= 0, f"{situation.point}: {decision.latency}"


def check_a_fault_is_one_of_the_rules_and_theirs_to_have(make: Make) -> None:
    for situation, decision in run(make(RULES, 0, 0)):
        rule = decision.rule
        if rule is not None:
            assert rule in RULES.faults, f"{situation.point}: {rule} is not in the plan"
            assert situation.target.name in rule.targets, f"{situation.point}: {rule} is about another target"
            assert rule.scope in (None, situation.point.scope), f"{situation.point}: {rule} is about another scope"


def check_a_fault_has_its_conditions_met(make: Make) -> None:
    for situation, decision in run(make(RULES, 0, 0)):
        when = decision.rule.when if decision.rule else None
        if when is not None:
            met = all(situation.args[name] in allowed for name, allowed in when.args.items())
            assert met, f"{situation.point}: {decision.rule} does not apply to {situation.args}"
            if when.newer_than is not None:
                age = situation.age(decision.latency)
                assert age is not None, f"{situation.point}: {decision.rule} needs an age"
                assert age < when.newer_than, f"{situation.point}: {decision.rule} does not apply at age {age}"


def check_a_refusal_by_the_limiter_is_no_fault_and_says_when_to_come_back(make: Make) -> None:
    for situation, decision in run(make(RULES, 0, 0)):
        if decision.retry_after is not None:
            assert decision.rule is None, f"{situation.point}: both {decision.rule} and a refusal"
            assert decision.retry_after > 0, f"{situation.point}: come back in {decision.retry_after} s"


def check_a_drawn_number_is_told_and_lies_from_zero_to_one(make: Make) -> None:
    for situation, decision in run(make(RULES, 0, 0)):
        assert decision.drawn is None or 0 <= decision.drawn < 1, f"{situation.point}: {decision.drawn}"
        drawn = decision.rule is not None and decision.rule.drawn
        assert not drawn or decision.drawn is not None, f"{situation.point}: which number was drawn is not told"


def check_equal_arrivals_get_equal_decisions(make: Make) -> None:
    one, other = ([decision for _, decision in run(make(RULES, 3, 1))] for _ in range(2))
    assert one == other, "a decider must be a function of its own state and the arrivals that it has seen"


def check_deciders_share_no_state(make: Make) -> None:
    alone = [decision for _, decision in run(make(RULES, 0, 0))]
    first, second = make(RULES, 0, 0), make(RULES, 0, 0)
    pairs = [(first.decide(situation), second.decide(situation)) for situation in situations()]
    assert [one for one, _ in pairs] == alone, "another decider's arrivals were counted"
    assert [other for _, other in pairs] == alone, "another decider's arrivals were counted"


def check_arguments_are_looked_at_and_left_as_they_are(make: Make) -> None:
    decider = make(RULES, 0, 0)
    for situation in situations():
        before = copy.deepcopy(situation.args)
        decider.decide(situation)
        assert situation.args == before, f"{situation.point}: the arguments were changed"


def check_no_rules_mean_that_nothing_happens(make: Make) -> None:
    for situation, decision in run(make(Rules(), 0, 0)):
        assert decision == Decision(situation.point), f"{situation.point}: {decision}"


def check_a_target_that_no_rule_names_is_left_alone(make: Make) -> None:
    for situation, decision in run(make(RULES, 0, 0)):
        if situation.target == UNNAMED:
            assert decision == Decision(situation.point), f"{situation.point}: {decision}"


CHECKS: tuple[Callable[[Make], None], ...] = tuple(
    value for name, value in sorted(globals().items()) if name.startswith("check_")
)
