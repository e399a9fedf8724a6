"""Which entries there are for a call, by its target and its model."""

from __future__ import annotations

import pytest

from squall.call import Target
from squall.decide import Latency, Point, RateLimit, Rule, Rules, Situation
from squall.decide.indexed import Index


def rule(number, **more):
    return Rule(id=number, kind="http_503", targets=("model.chat",), phase="before", **more)


@pytest.fixture
def found():
    def find(rules, target="model.chat", **args):
        situation = Situation(Target(target, ""), Point("model", "", target, "0", 1), args, 0.0, lambda _: None)
        return Index(rules).of(situation)

    return find


def test_rules_are_for_their_target_and_their_models(found):
    rules = Rules((rule(0), rule(1, models=("a", "b")), rule(2, other_than=("a",))))
    for model, ids in (("a", [0, 1]), ("b", [0, 1, 2]), ("c", [0, 2])):
        assert [each.id for each in found(rules, model=model).always] == ids
    assert found(rules, "model.messages", model="a").always == ()


def test_what_no_model_is_named_for_is_for_all(found):
    assert [each.id for each in found(Rules((rule(0), rule(1, models=("a",))))).always] == [0]


@pytest.mark.parametrize("odd", [None, 5, ["a"], {"a": 1}])
def test_an_argument_that_is_called_model_and_is_no_name_is_none(found, odd):
    assert [each.id for each in found(Rules((rule(0), rule(1, models=("a",)))), model=odd).always] == [0]


def test_those_that_draw_or_count_are_apart(found):
    rules = Rules((rule(0, nth=1), rule(1), rule(2, probability=0.5)))
    assert [each.id for each in found(rules).chosen] == [0, 2]
    assert [each.id for each in found(rules).always] == [1]


def test_the_last_latency_and_the_last_limit_hold(found):
    at = ("model.chat",)
    rules = Rules(
        latencies=(Latency(at, 1, 1), Latency(at, 2, 2), Latency(at, 3, 3, models=("a",))),
        limits=(RateLimit(at, 1, 1), RateLimit(at, 2, 1, models=("a",)), RateLimit(at, 3, 1, other_than=("b",))),
    )
    assert (found(rules, model="a").latency.low, found(rules, model="a").limit.calls) == (3, 3)
    assert (found(rules, model="b").latency.low, found(rules, model="b").limit.calls) == (2, 1)
    assert found(rules, "model.messages").latency is None
