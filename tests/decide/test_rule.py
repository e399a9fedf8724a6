from __future__ import annotations

import pytest

from squall.decide import Rule


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
