from __future__ import annotations

import pytest

from squall.decide import Rule, When


def rule(**choice):
    return Rule(0, "timeout", ("s.t",), "after", **choice)


@pytest.mark.parametrize(
    ("choice", "drawn", "counted"),
    [
        ({"probability": 0.1}, True, False),
        ({"probability": 0.0}, True, False),
        ({"nth": 1}, False, True),
        ({"times": 2}, False, True),
        ({"first": 1}, False, True),
        ({"every": 3}, False, True),
        ({}, False, False),
    ],
)
def test_a_rule_is_drawn_or_counted_or_always(choice, drawn, counted):
    assert (rule(**choice).drawn, rule(**choice).counted) == (drawn, counted)


@pytest.mark.parametrize(
    ("choice", "hits"),
    [
        ({"nth": 3}, [3]),
        ({"nth": 3, "times": 2}, [3, 4]),
        ({"times": 2}, [1, 2]),
        ({"first": 3}, [1, 2, 3]),
        ({"every": 3}, [3, 6, 9]),
        ({"every": 1}, list(range(1, 10))),
    ],
)
def test_a_counting_rule_fires_at_these_of_nine_calls(choice, hits):
    assert [number for number in range(1, 10) if rule(**choice).hits(number)] == hits


@pytest.mark.parametrize(
    ("args", "allowed"), [({"n": 2}, True), ({"n": 3.0}, True), ({"n": 4}, False), ({}, True), ({"n": None}, False)]
)
def test_an_argument_has_one_of_its_values_and_its_default_where_it_is_left_out(args, allowed):
    assert When(args={"n": (2, 3)}).allows("n", args, {"n": {"type": "integer", "default": 3}}) is allowed


def test_an_argument_that_is_left_out_without_a_default_is_null():
    assert When(args={"n": (None,)}).allows("n", {}, {})
    assert not When(args={"n": (0,)}).allows("n", {}, {})


@pytest.mark.parametrize(
    ("when", "ages"),
    [
        (When(), [None, 0, 5, 10, 20]),
        (When(newer_than=10), [0, 5]),
        (When(older_than=5), [5, 10, 20]),
        (When(newer_than=10, older_than=5), [5]),
    ],
)
def test_an_age_is_below_the_one_and_at_least_the_other(when, ages):
    assert [age for age in (None, 0, 5, 10, 20) if when.allows_age(age)] == ages
